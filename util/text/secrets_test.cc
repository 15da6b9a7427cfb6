#include "util/text/secrets.h"

#include <random>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::util {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// "NAME: TEXT" of each secret.
std::vector<std::string> Found(const std::string& text) {
  std::vector<std::string> found;
  for (const Secret& secret : FindSecrets(text)) {
    found.push_back(std::string(secret.name) + ": " +
                    text.substr(secret.begin, secret.size));
  }
  return found;
}

// Characters that no real token has in this order.
std::string Random(size_t size) {
  constexpr std::string_view kBlock = "Ex4mpl3N0tR3al";
  std::string text;
  while (text.size() < size) text += kBlock;
  return text.substr(0, size);
}

TEST(SecretsTest, EveryPatternFindsItsToken) {
  struct Case {
    std::string name, token;
  };
  const std::vector<Case> cases = {
      {"token of Hugging Face", "hf_" + Random(34)},
      {"token of GitHub", "ghp_" + Random(36)},
      {"token of GitHub", "ghs_" + Random(40)},
      {"token of GitHub", "github_pat_" + Random(22) + "_" + Random(59)},
      {"token of GitLab", "glpat-" + Random(20)},
      {"key of an AI service", "sk-" + Random(48)},
      {"key of an AI service", "sk-proj-" + Random(40)},
      {"access key of AWS", "AKIA" + std::string("EXAMPLE7EXAMPLE7")},
      {"key of Google", "AIza" + Random(35)},
      {"token of Slack", "xoxb-123456789012-" + Random(24)},
      {"token of Slack", "xoxp-123456789012-" + Random(24)},
      {"token of PyPI", "pypi-" + Random(60)},
      {"JSON web token",
       "eyJ" + Random(20) + ".eyJ" + Random(30) + "." + Random(43)},
  };
  for (const Case& of : cases) {
    const std::vector<std::string> wanted = {of.name + ": " + of.token};
    for (const char* before : {"", "x ", "\"", "a/", "=", "(", "\n"}) {
      for (const char* behind : {"", " x", "\"", ")", "\n"}) {
        EXPECT_EQ(Found(before + of.token + behind), wanted)
            << before << '|' << behind;
      }
    }
    // Too short, and inside of a longer name.
    EXPECT_THAT(Found(of.token.substr(0, 12)), IsEmpty()) << of.token;
    EXPECT_THAT(Found("a" + of.token.substr(0, 12)), IsEmpty()) << of.token;
  }
}

TEST(SecretsTest, TokensWithAWordBefore) {
  EXPECT_THAT(Found("Authorization: Bearer " + Random(24)),
              ElementsAre("bearer token: " + Random(24)));
  EXPECT_THAT(Found("the bearer of good news is here"), IsEmpty());
  EXPECT_THAT(Found("HF_TOKEN=" + Random(12)),
              ElementsAre("value of a secret variable: " + Random(12)));
  EXPECT_THAT(Found("--api-key " + Random(12)), IsEmpty());  // no assignment
  EXPECT_THAT(Found("\"db_password\": \"s3cr3tw0rd\""),
              ElementsAre("value of a secret variable: s3cr3tw0rd"));
  EXPECT_THAT(Found("-----BEGIN RSA PRIVATE KEY-----\nab\n-----END RSA PRIVATE "
                    "KEY----- x"),
              ElementsAre("private key: -----BEGIN RSA PRIVATE KEY-----\nab\n"
                          "-----END RSA PRIVATE KEY-----"));
  // One that is cut short.
  EXPECT_THAT(Found("-----BEGIN PRIVATE KEY-----\nab"),
              ElementsAre("private key: -----BEGIN PRIVATE KEY-----\nab"));
  EXPECT_THAT(Found("-----BEGIN CERTIFICATE-----\nab"), IsEmpty());
}

TEST(SecretsTest, PasswordsAndAddresses) {
  EXPECT_THAT(Found("https://ann:pa55@10.0.0.1/x"),
              ElementsAre("password in an address: ann:pa55"));
  // The rest of what looks like an e-mail address does not stay.
  EXPECT_THAT(Found("https://ann:pa55@host.example.com/x"),
              ElementsAre("password in an address: ann:pa55@host.example.com"));
  EXPECT_THAT(Found("https://host.example.com:443/x"), IsEmpty());
  EXPECT_THAT(Found("tcp://10.0.0.1:29500"), IsEmpty());
  EXPECT_THAT(Found("from ann.lee+x@example.com,"),
              ElementsAre("e-mail address: ann.lee+x@example.com"));
  for (const char* text :
       {"memcpy@@GLIBC_2.14", "memcpy@libc.so", "git@github.com:a/b", "f@plt",
        "a @ b", "user@host", "kernel@v1.2.3"}) {
    EXPECT_THAT(Found(text), IsEmpty()) << text;
  }
}

TEST(SecretsTest, NamesOfUsersInPaths) {
  for (const char* path :
       {"/home/ann/a.py", "File \"/home/ann/a.py\"", "file:///home/ann",
        "/Users/ann/a.py", "C:\\Users\\ann\\a.py", "c:\\\\users\\\\ann\\\\a.py",
        "C:/Users/ann", "/mnt/home/ann/x", "a:/home/ann:b", "x=/home/ann"}) {
    EXPECT_THAT(Found(path), ElementsAre("user name: ann")) << path;
  }
  EXPECT_THAT(Found("/home/ann:/home/bob/x"),
              ElementsAre("user name: ann", "user name: bob"));
  EXPECT_THAT(Found("/home/\xc3\xa9va/x"),
              ElementsAre("user name: \xc3\xa9va"));
  for (const char* text :
       {"/home", "/home/", "model/home/dense", "http://a.b/home/page",
        "/usr/lib/python3", "/Users/Shared/x", "/homes/ann", "~/home/a",
        "C:\\Windows\\x"}) {
    EXPECT_THAT(Found(text), IsEmpty()) << text;
  }
}

TEST(SecretsTest, NamesOfOperationsAreNoSecrets) {
  for (const char* text :
       {"void cutlass::Kernel2<cutlass_80_tensorop_s16816gemm_bf16_128x256>",
        "sm80_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize96x128x32_stage4",
        "triton_poi_fused__to_copy_add_mul_5d41402abc4b2a76b9719d911017c592",
        "da39a3ee5e6b4b0d3255bfef95601890afd80709",
        "_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_13BUnaryFunctor",
        "ProfilerStep#12", "nn.Module: Attention_31", "num_tokens=1024",
        "pad_token=<pad>", "tokens: 128", "max_new_tokens: 12345678",
        "token=embedding_layer", "hf_model_loading_and_other_things_of_it",
        "disk-usage-of-the-machine-0123456789-is-high",
        "sk-learn-pipeline-with-a-long-name",
        "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage)",
        "/job:worker/replica:0/task:0/device:GPU:0",
        "b2f4b3c9d0e14b53a2b1c0d9e8f7a6b5"}) {
    EXPECT_THAT(Found(text), IsEmpty()) << text;
  }
}

TEST(SecretsTest, SecretsAreInOrderAndApart) {
  std::mt19937 random(7);
  const std::vector<std::string> parts = {"hf_" + Random(34),
                                          "/home/ann/",
                                          "a@b.example.org",
                                          " ",
                                          "://",
                                          "https://a:b1@c.de/",
                                          "TOKEN=",
                                          "Bearer ",
                                          "\xff",
                                          "C:\\Users\\bob\\",
                                          Random(20),
                                          "-----BEGIN PRIVATE KEY-----"};
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    for (int i = 0; i < 8; ++i) text += parts[random() % parts.size()];
    size_t end = 0;
    for (const Secret& secret : FindSecrets(text)) {
      ASSERT_GE(secret.begin, end) << text;
      ASSERT_GT(secret.size, 0u) << text;
      end = secret.begin + secret.size;
      ASSERT_LE(end, text.size()) << text;
    }
  }
}

TEST(SecretsTest, TokensOfLargeFilesAreFoundOnce) {
  const std::string token = "hf_" + Random(34);
  for (const size_t at : {size_t{0}, (size_t{1} << 20) - 10, size_t{1} << 20,
                          (size_t{1} << 20) + 10, size_t{5} << 20}) {
    std::string bytes(size_t{6} << 20, '\x01');
    bytes.replace(at, token.size(), token);
    bytes.replace(bytes.size() - 40, 11, "/home/ann/x");
    const std::vector<Secret> found = FindTokens(bytes);
    ASSERT_EQ(found.size(), 1u) << at;
    EXPECT_EQ(found[0].begin, at);
    EXPECT_EQ(found[0].size, token.size());
  }
}

TEST(SecretsTest, NamesOfSecretVariables) {
  for (const char* name :
       {"HF_TOKEN", "token", "AWS_SECRET_ACCESS_KEY", "api_key",
        "OPENAI_API_KEY", "db.password", "WANDB_API_KEY", "GITHUB_TOKEN"}) {
    EXPECT_TRUE(IsSecretName(name)) << name;
  }
  for (const char* name : {"tokens", "num_tokens", "PATH", "key", "token_id",
                           "pad_token_id", "Collective name"}) {
    EXPECT_FALSE(IsSecretName(name)) << name;
  }
}

TEST(SecretsTest, MasksShowLittle) {
  EXPECT_EQ(MaskedSecret("hf_" + Random(34)), "hf_E…");
  EXPECT_EQ(MaskedSecret("ann"), "a…");
  EXPECT_EQ(MaskedSecret("\xc3\xa9va12"), "…");
  EXPECT_EQ(MaskedSecret(""), "…");
}

TEST(SecretsTest, HomesAreHidden) {
  EXPECT_EQ(HideHomes("/home/ann/a.py(12): f"), "~/a.py(12): f");
  EXPECT_EQ(HideHomes("a /Users/ann b C:\\Users\\bob\\c"), "a ~ b ~\\c");
  EXPECT_EQ(HideHomes("/nfs/home/ann/x"), "~/x");
  EXPECT_EQ(HideHomes("/home"), std::nullopt);
  EXPECT_EQ(HideHomes("model/home/dense"), std::nullopt);
  EXPECT_EQ(HideHomes(""), std::nullopt);
}

}  // namespace
}  // namespace tfprof::util
