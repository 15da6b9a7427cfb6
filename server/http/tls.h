// TLS for the connections of the server, implemented with mbedTLS.
//
//   auto tls = TlsServer::Create("cert.pem", "key.pem");
//   std::unique_ptr<TlsStream> stream = (*tls)->Accept(fd);
//   ssize_t count = stream->Receive(buffer, size);   // as recv(2)
//
// TLS 1.2 or newer. The certificate is a chain in PEM or DER; the key has no
// password. No call blocks: the sockets must be non-blocking, and calls return
// EAGAIN while the socket is not ready, also during the handshake. Streams must
// not outlive their server. Must be used by one thread.

#ifndef TFPROF_SERVER_HTTP_TLS_H_
#define TFPROF_SERVER_HTTP_TLS_H_

#include <sys/types.h>

#include <cstddef>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace tfprof::server {

class TlsStream {
 public:
  ~TlsStream();
  TlsStream(const TlsStream&) = delete;
  TlsStream& operator=(const TlsStream&) = delete;

  // These behave like recv(2) and send(2): -1 with errno, where EAGAIN means to
  // repeat the call when the socket is ready; 0 means that the peer has closed
  // the stream.
  ssize_t Receive(char* buffer, size_t size);
  ssize_t Send(const char* bytes, size_t size);
  // Tells the peer that no more data follows.
  void End();

  // True if Receive() can return decrypted bytes without reading the socket.
  bool has_pending() const;
  // True if the socket must become writable before anything else can happen.
  bool wants_to_write() const { return wants_to_write_; }

 private:
  friend class TlsServer;
  struct Session;
  explicit TlsStream(std::unique_ptr<Session> session);
  ssize_t Result(int result);

  std::unique_ptr<Session> session_;
  bool wants_to_write_ = false;
  // The size of an encrypted piece that is not yet sent; Send() must be called
  // with it again.
  size_t unsent_ = 0;
};

class TlsServer {
 public:
  // InvalidArgument if the files are not a certificate and its key; the message
  // names the file and the reason.
  static absl::StatusOr<std::unique_ptr<TlsServer>> Create(
      const std::string& certificate, const std::string& key);
  ~TlsServer();
  TlsServer(const TlsServer&) = delete;
  TlsServer& operator=(const TlsServer&) = delete;

  // The SHA-256 of the server's own certificate, the first of the chain, in
  // hexadecimal. A client that knows it needs no other authority.
  std::string Fingerprint() const;

  // Starts TLS on an accepted socket, which the caller keeps open and closes.
  // nullptr if there is no memory.
  std::unique_ptr<TlsStream> Accept(int fd);

 private:
  struct Keys;
  explicit TlsServer(std::unique_ptr<Keys> keys);
  std::unique_ptr<Keys> keys_;
};

}  // namespace tfprof::server

#endif  // TFPROF_SERVER_HTTP_TLS_H_
