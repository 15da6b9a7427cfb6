// TLS for the connections of the server, by mbedTLS.
//
//   auto tls = TlsServer::Create("cert.pem", "key.pem");
//   std::unique_ptr<TlsStream> stream = (*tls)->Accept(fd);
//   ssize_t count = stream->Receive(buffer, size);   // as recv(2)
//
// TLS 1.2 or newer. The certificate is a chain in PEM or DER, the key is
// without a password. Nothing here waits: a stream does what its socket, which
// does not block, lets it do, the handshake too, and says EAGAIN until then.
// Streams must not outlive their server. For one thread.

#ifndef TFPROF_SERVER_TLS_H_
#define TFPROF_SERVER_TLS_H_

#include <sys/types.h>

#include <cstddef>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace tfprof {

class TlsStream {
 public:
  ~TlsStream();
  TlsStream(const TlsStream&) = delete;
  TlsStream& operator=(const TlsStream&) = delete;

  // As recv(2) and send(2): -1 with errno, of which EAGAIN says to ask again
  // when the socket is ready. 0: the other side has ended the stream.
  ssize_t Receive(char* buffer, size_t size);
  ssize_t Send(const char* bytes, size_t size);
  // Tells the other side that nothing more comes.
  void End();

  // Bytes that have arrived and were decrypted, and which Receive() gives
  // without asking the socket.
  bool has_pending() const;
  // The socket must take bytes before anything else happens.
  bool wants_to_write() const { return wants_to_write_; }

 private:
  friend class TlsServer;
  struct Session;
  explicit TlsStream(std::unique_ptr<Session> session);
  ssize_t Result(int result);

  std::unique_ptr<Session> session_;
  bool wants_to_write_ = false;
  // A piece that is encrypted and not yet sent: it must be given again.
  size_t unsent_ = 0;
};

class TlsServer {
 public:
  // InvalidArgument: the files are no certificate and its key; the message
  // names the file and the reason.
  static absl::StatusOr<std::unique_ptr<TlsServer>> Create(
      const std::string& certificate, const std::string& key);
  ~TlsServer();
  TlsServer(const TlsServer&) = delete;
  TlsServer& operator=(const TlsServer&) = delete;

  // The SHA-256 of the server's own certificate, the first of the chain, as
  // hexadecimal digits: who knows it needs to trust nobody else.
  std::string Fingerprint() const;

  // For an accepted socket, which the caller keeps open and closes; nullptr:
  // there is no memory.
  std::unique_ptr<TlsStream> Accept(int fd);

 private:
  struct Keys;
  explicit TlsServer(std::unique_ptr<Keys> keys);
  std::unique_ptr<Keys> keys_;
};

}  // namespace tfprof

#endif  // TFPROF_SERVER_TLS_H_
