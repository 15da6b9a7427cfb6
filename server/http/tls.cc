#include "server/http/tls.h"

#include <errno.h>
#include <mbedtls/ctr_drbg.h>
#include <mbedtls/entropy.h>
#include <mbedtls/error.h>
#include <mbedtls/net_sockets.h>
#include <mbedtls/pk.h>
#include <mbedtls/sha256.h>
#include <mbedtls/ssl.h>
#include <mbedtls/x509_crt.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <utility>

#include "fmt/format.h"
#include "fmt/ranges.h"

namespace tfprof::server {
namespace {

std::string ReasonOf(int error) {
  std::array<char, 200> text = {};
  mbedtls_strerror(error, text.data(), text.size());
  return text.data();
}

// mbedTLS sends and receives with these. A closed connection causes no SIGPIPE.
int SendBytes(void* fd, const unsigned char* bytes, size_t size) {
  const ssize_t count = send(*static_cast<int*>(fd), bytes, size, MSG_NOSIGNAL);
  if (count >= 0) return static_cast<int>(count);
  return errno == EAGAIN || errno == EINTR ? MBEDTLS_ERR_SSL_WANT_WRITE
                                           : MBEDTLS_ERR_NET_SEND_FAILED;
}

int ReceiveBytes(void* fd, unsigned char* bytes, size_t size) {
  const ssize_t count = recv(*static_cast<int*>(fd), bytes, size, 0);
  if (count >= 0) return static_cast<int>(count);
  return errno == EAGAIN || errno == EINTR ? MBEDTLS_ERR_SSL_WANT_READ
                                           : MBEDTLS_ERR_NET_RECV_FAILED;
}

}  // namespace

struct TlsServer::Keys {
  Keys() {
    mbedtls_entropy_init(&entropy);
    mbedtls_ctr_drbg_init(&random);
    mbedtls_x509_crt_init(&certificate);
    mbedtls_pk_init(&key);
    mbedtls_ssl_config_init(&config);
  }
  ~Keys() {
    mbedtls_ssl_config_free(&config);
    mbedtls_pk_free(&key);
    mbedtls_x509_crt_free(&certificate);
    mbedtls_ctr_drbg_free(&random);
    mbedtls_entropy_free(&entropy);
  }
  Keys(const Keys&) = delete;
  Keys& operator=(const Keys&) = delete;

  mbedtls_entropy_context entropy;
  mbedtls_ctr_drbg_context random;
  mbedtls_x509_crt certificate;
  mbedtls_pk_context key;
  mbedtls_ssl_config config;
};

struct TlsStream::Session {
  Session() { mbedtls_ssl_init(&ssl); }
  ~Session() { mbedtls_ssl_free(&ssl); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  mbedtls_ssl_context ssl;
  int fd = -1;
};

TlsStream::TlsStream(std::unique_ptr<Session> session)
    : session_(std::move(session)) {}
TlsStream::~TlsStream() = default;

ssize_t TlsStream::Result(int result) {
  wants_to_write_ = result == MBEDTLS_ERR_SSL_WANT_WRITE;
  if (result >= 0) return result;
  if (result == MBEDTLS_ERR_SSL_PEER_CLOSE_NOTIFY) return 0;
  errno =
      wants_to_write_ || result == MBEDTLS_ERR_SSL_WANT_READ ? EAGAIN : EPROTO;
  return -1;
}

ssize_t TlsStream::Receive(char* buffer, size_t size) {
  return Result(mbedtls_ssl_read(
      &session_->ssl, reinterpret_cast<unsigned char*>(buffer), size));
}

ssize_t TlsStream::Send(const char* bytes, size_t size) {
  // mbedTLS assumes that a repeated call has the size of the first one.
  if (unsent_ > 0) size = std::min(size, unsent_);
  const ssize_t result = Result(mbedtls_ssl_write(
      &session_->ssl, reinterpret_cast<const unsigned char*>(bytes), size));
  unsent_ = result < 0 && wants_to_write_ ? size : 0;
  return result;
}

void TlsStream::End() { mbedtls_ssl_close_notify(&session_->ssl); }

bool TlsStream::has_pending() const {
  return mbedtls_ssl_get_bytes_avail(&session_->ssl) > 0;
}

TlsServer::TlsServer(std::unique_ptr<Keys> keys) : keys_(std::move(keys)) {}
TlsServer::~TlsServer() = default;

absl::StatusOr<std::unique_ptr<TlsServer>> TlsServer::Create(
    const std::string& certificate, const std::string& key) {
  auto keys = std::make_unique<Keys>();
  const auto failed = [](const std::string& file, std::string_view expected,
                         int error) {
    return absl::InvalidArgumentError(
        fmt::format("{}: expected {}: {}", file, expected, ReasonOf(error)));
  };
  int error = mbedtls_ctr_drbg_seed(&keys->random, mbedtls_entropy_func,
                                    &keys->entropy, nullptr, 0);
  if (error != 0) {
    return absl::UnavailableError("the system gives no random bytes: " +
                                  ReasonOf(error));
  }
  error = mbedtls_x509_crt_parse_file(&keys->certificate, certificate.c_str());
  // A positive result counts the certificates that could not be read.
  if (error > 0) error = MBEDTLS_ERR_X509_INVALID_FORMAT;
  if (error != 0) {
    return failed(certificate, "certificates in PEM or DER", error);
  }
  error = mbedtls_pk_parse_keyfile(&keys->key, key.c_str(), nullptr);
  if (error != 0) return failed(key, "a private key without password", error);
  if (mbedtls_pk_check_pair(&keys->certificate.pk, &keys->key) != 0) {
    return absl::InvalidArgumentError(
        fmt::format("{} is not the key of {}", key, certificate));
  }
  mbedtls_ssl_config& config = keys->config;
  error = mbedtls_ssl_config_defaults(&config, MBEDTLS_SSL_IS_SERVER,
                                      MBEDTLS_SSL_TRANSPORT_STREAM,
                                      MBEDTLS_SSL_PRESET_DEFAULT);
  if (error == 0) {
    error = mbedtls_ssl_conf_own_cert(&config, &keys->certificate, &keys->key);
  }
  if (error != 0) return failed(certificate, "a server's certificate", error);
  mbedtls_ssl_conf_rng(&config, mbedtls_ctr_drbg_random, &keys->random);
  mbedtls_ssl_conf_min_version(&config, MBEDTLS_SSL_MAJOR_VERSION_3,
                               MBEDTLS_SSL_MINOR_VERSION_3);
  return std::unique_ptr<TlsServer>(new TlsServer(std::move(keys)));
}

std::string TlsServer::Fingerprint() const {
  const mbedtls_x509_buf& bytes = keys_->certificate.raw;
  std::array<unsigned char, 32> sum = {};
  // This only fails in hardware implementations.
  mbedtls_sha256_ret(bytes.p, bytes.len, sum.data(), 0);
  return fmt::format("{:02x}", fmt::join(sum, ""));
}

std::unique_ptr<TlsStream> TlsServer::Accept(int fd) {
  auto session = std::make_unique<TlsStream::Session>();
  if (mbedtls_ssl_setup(&session->ssl, &keys_->config) != 0) return nullptr;
  session->fd = fd;
  mbedtls_ssl_set_bio(&session->ssl, &session->fd, SendBytes, ReceiveBytes,
                      nullptr);
  return std::unique_ptr<TlsStream>(new TlsStream(std::move(session)));
}

}  // namespace tfprof::server
