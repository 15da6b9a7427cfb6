// For tests of servers: a connection to a port of this machine.

#ifndef TFPROF_SERVER_SERVER_TESTING_H_
#define TFPROF_SERVER_SERVER_TESTING_H_

#include <arpa/inet.h>
#include <sys/socket.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "gtest/gtest.h"
#include "server/http/http_server.h"

namespace tfprof::server {

inline OwnedFd Connect(int port) {
  OwnedFd fd(socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
  EXPECT_EQ(
      connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)),
      0);
  const timeval seconds = {20, 0};
  setsockopt(fd.get(), SOL_SOCKET, SO_RCVTIMEO, &seconds, sizeof(seconds));
  return fd;
}

inline void Send(const OwnedFd& fd, std::string_view text) {
  EXPECT_EQ(send(fd.get(), text.data(), text.size(), MSG_NOSIGNAL),
            static_cast<ssize_t>(text.size()));
}

// All that the server sends until it closes.
inline std::string ReadAll(const OwnedFd& fd) {
  std::string text;
  char buffer[4096];
  for (ssize_t n; (n = recv(fd.get(), buffer, sizeof(buffer), 0)) > 0;) {
    text.append(buffer, static_cast<size_t>(n));
  }
  return text;
}

}  // namespace tfprof::server

#endif  // TFPROF_SERVER_SERVER_TESTING_H_
