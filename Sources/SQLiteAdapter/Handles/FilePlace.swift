// What the operating system says about the place of a database file.

import CSQLite
import Glibc

/// The facts about a path that decide whether a database may live there.
enum FilePlace {
  /// What stands at a path.
  enum Kind {
    case missing
    case file
    case directory
    /// A device, a socket …, or something we may not look at.
    case other
  }

  /// What stands at `path`; symbolic links are followed.
  static func kind(of path: String) -> Kind {
    var about = stat()
    // SAFETY: the out-parameter lives on this stack.
    guard unsafe stat(path, &about) == 0 else { return errno == ENOENT ? .missing : .other }
    switch about.st_mode & S_IFMT {
    case S_IFREG: return .file
    case S_IFDIR: return .directory
    default: return .other
    }
  }

  /// The folder that holds `path`.
  static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// The file system's magic number; -1 if the system does not tell.
  static func fileSystemType(of path: String) -> Int {
    // SAFETY: the string is a valid C string for the length of the call.
    unsafe csqlite_file_system_type(path)
  }

  /// The name of the network file system with this magic number (statfs(2)); nil: it is a local one. On a network file
  /// system SQLite's locks and its shared memory do not work between hosts (https://www.sqlite.org/wal.html, "all
  /// processes … on the same host").
  static func networkFileSystem(ofType type: Int) -> String? {
    switch type & 0xFFFF_FFFF {
    case 0x6969: "NFS"
    case 0xFF53_4D42, 0xFE53_4D42, 0x517B: "SMB/CIFS"
    case 0x6573_5546: "FUSE"
    case 0x0102_1997: "9P"
    case 0x00C3_6400: "Ceph"
    case 0x5346_414F, 0x6B41_4653: "AFS"
    case 0x7461_636F: "OCFS2"
    case 0x0116_1970: "GFS2"
    default: nil
    }
  }

  /// Makes a new file's name durable: syncs the folder that holds it. False if the system refuses.
  static func syncFolder(of path: String) -> Bool {
    // SAFETY: the string is a valid C string for the length of the call.
    let descriptor = unsafe open(folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return fsync(descriptor) == 0
  }
}
