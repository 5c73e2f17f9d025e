// SHA-256 of OpenSSL's libcrypto for Swift.
#ifndef CCRYPTO_SHIM_H
#define CCRYPTO_SHIM_H
#include <openssl/evp.h>
#include <openssl/sha.h>
#include <stddef.h>
#include <stdint.h>

// Writes the SHA-256 of `count` bytes to `digest` (32 bytes); 1 if it worked. The context and the fetched algorithm are
// kept for each thread: fetching the algorithm anew costs more than hashing a request.
static inline int ccrypto_sha256(const uint8_t *bytes, size_t count, uint8_t *digest) {
  static _Thread_local EVP_MD_CTX *context;
  static _Thread_local EVP_MD *algorithm;
  if (!context) context = EVP_MD_CTX_new();
  if (!algorithm) algorithm = EVP_MD_fetch(NULL, "SHA256", NULL);
  if (!context || !algorithm) return 0;
  return EVP_DigestInit_ex2(context, algorithm, NULL) == 1 && EVP_DigestUpdate(context, bytes, count) == 1 &&
         EVP_DigestFinal_ex(context, digest, NULL) == 1;
}
#endif
