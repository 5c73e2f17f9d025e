// The entry of the `checkout` binary.
print("checkout")
