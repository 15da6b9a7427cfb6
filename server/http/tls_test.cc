#include "server/http/tls.h"

#include <errno.h>
#include <fcntl.h>
#include <mbedtls/bignum.h>
#include <mbedtls/ctr_drbg.h>
#include <mbedtls/ecp.h>
#include <mbedtls/entropy.h>
#include <mbedtls/net_sockets.h>
#include <mbedtls/pk.h>
#include <mbedtls/sha256.h>
#include <mbedtls/ssl.h>
#include <mbedtls/x509_crt.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <memory>
#include <string>

#include "fmt/format.h"
#include "fmt/ranges.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::server {
namespace {

using ::testing::HasSubstr;

class Random {
 public:
  Random() {
    mbedtls_entropy_init(&entropy_);
    mbedtls_ctr_drbg_init(&random_);
    EXPECT_EQ(mbedtls_ctr_drbg_seed(&random_, mbedtls_entropy_func, &entropy_,
                                    nullptr, 0),
              0);
  }
  ~Random() {
    mbedtls_ctr_drbg_free(&random_);
    mbedtls_entropy_free(&entropy_);
  }
  mbedtls_ctr_drbg_context* get() { return &random_; }

 private:
  mbedtls_entropy_context entropy_;
  mbedtls_ctr_drbg_context random_;
};

std::string WriteFile(const std::string& name, std::string_view text) {
  std::string path = testing::TempDir() + "/" + name;
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

// The files of a new key and of a certificate for it that it has signed.
struct KeyPair {
  explicit KeyPair(const std::string& name) {
    Random random;
    mbedtls_pk_context pk;
    mbedtls_pk_init(&pk);
    EXPECT_EQ(
        mbedtls_pk_setup(&pk, mbedtls_pk_info_from_type(MBEDTLS_PK_ECKEY)), 0);
    EXPECT_EQ(mbedtls_ecp_gen_key(MBEDTLS_ECP_DP_SECP256R1, mbedtls_pk_ec(pk),
                                  mbedtls_ctr_drbg_random, random.get()),
              0);
    std::array<unsigned char, 4096> text = {};
    EXPECT_EQ(mbedtls_pk_write_key_pem(&pk, text.data(), text.size()), 0);
    key = WriteFile(name + ".key", reinterpret_cast<const char*>(text.data()));

    mbedtls_x509write_cert made;
    mbedtls_x509write_crt_init(&made);
    mbedtls_x509write_crt_set_version(&made, MBEDTLS_X509_CRT_VERSION_3);
    mbedtls_x509write_crt_set_md_alg(&made, MBEDTLS_MD_SHA256);
    mbedtls_x509write_crt_set_subject_key(&made, &pk);
    mbedtls_x509write_crt_set_issuer_key(&made, &pk);
    mbedtls_mpi serial;
    mbedtls_mpi_init(&serial);
    mbedtls_mpi_lset(&serial, 1);
    EXPECT_EQ(mbedtls_x509write_crt_set_serial(&made, &serial), 0);
    EXPECT_EQ(mbedtls_x509write_crt_set_subject_name(&made, "CN=test"), 0);
    EXPECT_EQ(mbedtls_x509write_crt_set_issuer_name(&made, "CN=test"), 0);
    EXPECT_EQ(mbedtls_x509write_crt_set_validity(&made, "20200101000000",
                                                 "20991231235959"),
              0);
    text = {};
    EXPECT_EQ(mbedtls_x509write_crt_pem(&made, text.data(), text.size(),
                                        mbedtls_ctr_drbg_random, random.get()),
              0);
    certificate =
        WriteFile(name + ".crt", reinterpret_cast<const char*>(text.data()));
    mbedtls_mpi_free(&serial);
    mbedtls_x509write_crt_free(&made);
    mbedtls_pk_free(&pk);
  }

  std::string key, certificate;
};

int SendTo(void* fd, const unsigned char* bytes, size_t size) {
  const ssize_t count = send(*static_cast<int*>(fd), bytes, size, MSG_NOSIGNAL);
  return count < 0 ? MBEDTLS_ERR_SSL_WANT_WRITE : static_cast<int>(count);
}
int ReceiveFrom(void* fd, unsigned char* bytes, size_t size) {
  const ssize_t count = recv(*static_cast<int*>(fd), bytes, size, 0);
  return count < 0 ? MBEDTLS_ERR_SSL_WANT_READ : static_cast<int>(count);
}

// A client of the stream that a server has accepted, over a pair of sockets
// that do not block.
class TlsStreamTest : public ::testing::Test {
 protected:
  TlsStreamTest() {
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds_), 0);
    auto server = TlsServer::Create(keys_.certificate, keys_.key);
    EXPECT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
    stream_ = server_->Accept(fds_[0]);
    mbedtls_ssl_config_init(&config_);
    mbedtls_ssl_config_defaults(&config_, MBEDTLS_SSL_IS_CLIENT,
                                MBEDTLS_SSL_TRANSPORT_STREAM,
                                MBEDTLS_SSL_PRESET_DEFAULT);
    mbedtls_ssl_conf_authmode(&config_, MBEDTLS_SSL_VERIFY_OPTIONAL);
    mbedtls_ssl_conf_rng(&config_, mbedtls_ctr_drbg_random, random_.get());
    mbedtls_ssl_init(&client_);
  }
  ~TlsStreamTest() override {
    stream_.reset();
    mbedtls_ssl_free(&client_);
    mbedtls_ssl_config_free(&config_);
    for (const int fd : fds_) close(fd);
  }

  // Both sides in turn. False: one of them gave up.
  bool ShakeHands() {
    EXPECT_EQ(mbedtls_ssl_setup(&client_, &config_), 0);
    mbedtls_ssl_set_bio(&client_, &fds_[1], SendTo, ReceiveFrom, nullptr);
    for (int i = 0; i < 1000; ++i) {
      const int result = mbedtls_ssl_handshake(&client_);
      char byte = 0;
      if (stream_->Receive(&byte, 1) >= 0 || errno != EAGAIN) return false;
      if (result == 0) return true;
      if (result != MBEDTLS_ERR_SSL_WANT_READ &&
          result != MBEDTLS_ERR_SSL_WANT_WRITE) {
        return false;
      }
    }
    return false;
  }
  int ClientWrites(std::string_view text) {
    return mbedtls_ssl_write(
        &client_, reinterpret_cast<const unsigned char*>(text.data()),
        text.size());
  }

  const KeyPair keys_{"stream"};
  Random random_;
  int fds_[2] = {-1, -1};
  std::unique_ptr<TlsServer> server_;
  std::unique_ptr<TlsStream> stream_;
  mbedtls_ssl_config config_;
  mbedtls_ssl_context client_;
};

TEST_F(TlsStreamTest, NothingIsThereUntilTheOtherSideSpeaks) {
  char byte = 0;
  EXPECT_EQ(stream_->Receive(&byte, 1), -1);
  EXPECT_EQ(errno, EAGAIN);
  EXPECT_FALSE(stream_->wants_to_write());
  EXPECT_FALSE(stream_->has_pending());
}

TEST_F(TlsStreamTest, BytesComeAndGoUntilTheEnd) {
  ASSERT_TRUE(ShakeHands());
  ASSERT_EQ(ClientWrites("hello"), 5);
  char buffer[8] = {};
  EXPECT_EQ(stream_->Receive(buffer, 2), 2);
  EXPECT_TRUE(stream_->has_pending()) << "the rest is decrypted already";
  EXPECT_EQ(stream_->Receive(buffer + 2, 6), 3);
  EXPECT_STREQ(buffer, "hello");
  EXPECT_FALSE(stream_->has_pending());
  EXPECT_EQ(stream_->Send("you", 3), 3);
  unsigned char answer[8] = {};
  EXPECT_EQ(mbedtls_ssl_read(&client_, answer, sizeof(answer)), 3);
  stream_->End();
  EXPECT_EQ(mbedtls_ssl_read(&client_, answer, sizeof(answer)),
            MBEDTLS_ERR_SSL_PEER_CLOSE_NOTIFY);
  mbedtls_ssl_close_notify(&client_);
  EXPECT_EQ(stream_->Receive(buffer, 1), 0);
}

// A piece that the socket did not take is not encrypted a second time.
TEST_F(TlsStreamTest, AFullSocketTakesEachByteOnce) {
  ASSERT_TRUE(ShakeHands());
  std::string sent;
  for (size_t i = 0; i < (size_t{1} << 20); ++i) {
    sent += static_cast<char>('a' + i % 26);
  }
  std::string received;
  size_t at = 0;
  bool was_full = false;
  while (received.size() < sent.size()) {
    while (at < sent.size()) {
      // A caller may offer more the second time.
      const size_t offered =
          std::min(sent.size() - at,
                   stream_->wants_to_write() ? size_t{50'000} : size_t{9'000});
      const ssize_t count = stream_->Send(sent.data() + at, offered);
      if (count < 0) {
        ASSERT_EQ(errno, EAGAIN);
        ASSERT_TRUE(stream_->wants_to_write());
        was_full = true;
        break;
      }
      at += static_cast<size_t>(count);
    }
    std::array<unsigned char, 16384> buffer;
    int count = 0;
    while ((count = mbedtls_ssl_read(&client_, buffer.data(), buffer.size())) >
           0) {
      received.append(reinterpret_cast<const char*>(buffer.data()),
                      static_cast<size_t>(count));
    }
    ASSERT_EQ(count, MBEDTLS_ERR_SSL_WANT_READ);
  }
  EXPECT_TRUE(was_full);
  EXPECT_TRUE(received == sent);
}

TEST_F(TlsStreamTest, TheClientSeesTheCertificateOfTheFingerprint) {
  ASSERT_TRUE(ShakeHands());
  const mbedtls_x509_crt* seen = mbedtls_ssl_get_peer_cert(&client_);
  ASSERT_NE(seen, nullptr);
  std::array<unsigned char, 32> sum = {};
  ASSERT_EQ(mbedtls_sha256_ret(seen->raw.p, seen->raw.len, sum.data(), 0), 0);
  EXPECT_EQ(server_->Fingerprint(), fmt::format("{:02x}", fmt::join(sum, "")));
}

TEST_F(TlsStreamTest, OldVersionsAreRefused) {
  mbedtls_ssl_conf_min_version(&config_, MBEDTLS_SSL_MAJOR_VERSION_3,
                               MBEDTLS_SSL_MINOR_VERSION_2);
  mbedtls_ssl_conf_max_version(&config_, MBEDTLS_SSL_MAJOR_VERSION_3,
                               MBEDTLS_SSL_MINOR_VERSION_2);
  EXPECT_FALSE(ShakeHands());
}

TEST_F(TlsStreamTest, BytesThatAreNoTlsAreAnError) {
  const std::string_view http = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
  ASSERT_EQ(write(fds_[1], http.data(), http.size()),
            static_cast<ssize_t>(http.size()));
  char byte = 0;
  EXPECT_EQ(stream_->Receive(&byte, 1), -1);
  EXPECT_EQ(errno, EPROTO);
  EXPECT_EQ(stream_->Send("x", 1), -1) << "and it stays one";
}

TEST(TlsServerTest, FilesThatAreNoCertificateAndItsKeyAreNamed) {
  const KeyPair keys("one"), others("other");
  const std::string broken = WriteFile("broken.pem", "-----BEGIN\n");
  const std::string empty = WriteFile("empty.pem", "");
  const std::string missing = testing::TempDir() + "/missing.pem";
  struct Case {
    std::string certificate, key, error;
  };
  for (const Case& c :
       {Case{missing, keys.key, missing + ": expected certificates in PEM"},
        Case{broken, keys.key, broken + ": expected certificates in PEM"},
        Case{empty, keys.key, empty + ": expected certificates in PEM"},
        Case{keys.key, keys.key, keys.key + ": expected certificates"},
        Case{keys.certificate, missing, missing + ": expected a private key"},
        Case{keys.certificate, broken, broken + ": expected a private key"},
        Case{keys.certificate, others.key,
             others.key + " is not the key of " + keys.certificate}}) {
    const auto server = TlsServer::Create(c.certificate, c.key);
    EXPECT_EQ(server.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(server.status().message()), HasSubstr(c.error));
  }
}

}  // namespace
}  // namespace tfprof::server
