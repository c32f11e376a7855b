#include "oracle/cli/examples.h"

namespace plumbline {
namespace {

CLI::App* find(CLI::App& app, const std::string& command) {
  CLI::App* at = &app;
  for (std::size_t begin = 0; begin < command.size();) {
    const std::size_t end = std::min(command.find(' ', begin), command.size());
    at = at->get_subcommand(command.substr(begin, end - begin));
    begin = end + 1;
  }
  return at;
}

}  // namespace

const std::vector<CommandExample>& command_examples() {
  static const std::vector<CommandExample> examples = {
      {"verify",
       "plumbline verify --filter 'select_n|generated/ties' --evidence evidence --html verify.html"},
      {"select", "plumbline select fixtures/golden/select_neartie_fp16.h5 --contract within_error"},
      {"attention", "plumbline attention fixtures/golden/attention_cpu_bf16.h5 --subject reference"},
      {"replay", "plumbline replay fixtures/golden/tiny_short.h5 --json replay.json"},
      {"explain", "plumbline explain fixtures/golden/tiny_short.h5"},
      {"info", "plumbline info fixtures/golden/tiny_short.h5"},
      {"generate", "plumbline generate 'select:blocks=2000,data=ties,seed=7' -o case.h5"},
      {"digest", "plumbline digest --profile hf_cpu"},
      {"probe", "plumbline probe --subject cpu --terms 32"},
      {"mutants", "plumbline mutants --list"},
      {"plugin", "plumbline plugin ./libmine.so --rounds 1 --filter select/ties --json plugin.json"},
      {"routes explain",
       "plumbline routes explain paged:rows=1616,blocks=7250 --capability 7.5 --gates family7x"},
      {"routes snapshot", "plumbline routes snapshot --gates exact70 -o before.json"},
      {"routes diff", "plumbline routes diff before.json before.json"},
      {"bench select", "plumbline bench select --case select:rows=16,blocks=2000 --repetitions 1"},
      {"bench read", "plumbline bench read --mebibytes 16"},
      {"bench model", "plumbline bench model --delta-net-tokens 64 --attention-tokens 128"},
      {"bench split", "plumbline bench split --cases 100 --rows 4 --json split.json"},
      {"bench attention", "plumbline bench attention --device cuda:0 --context 29000"},
      {"evidence pack", "plumbline evidence pack -o packed evidence/report.json plugin.json split.json"},
      {"evidence verify", "plumbline evidence verify packed"},
      {"evidence markdown", "plumbline evidence markdown packed --before before.json --after before.json"},
      {"evidence html", "plumbline evidence html packed -o packed.html"},
      {"gate", "plumbline gate packed --policy ci/policy.json"},
      {"completions", "plumbline completions bash"},
  };
  return examples;
}

void add_examples(CLI::App& app) {
  for (const CommandExample& one : command_examples())
    find(app, one.command)->footer("Example:\n  " + one.line);
  app.footer(
      "Begin with `plumbline verify`. `plumbline COMMAND --help` has an example of each.\n"
      "Exit code: 0 verified, 1 a check failed, 2 bad usage or input, 3 nothing was executed.");
}

}  // namespace plumbline
