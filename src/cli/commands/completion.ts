import { Argument, type Command } from 'commander';
import type { Context } from '../../context.ts';
import { examples } from '../terminal/help.ts';

/** `sciatica completion bash|zsh|fish` */
export function addCompletionCommand(program: Command, context: Context): void {
  program
    .command('completion')
    .summary('Print the script that completes commands in a shell')
    .description('Print the script that lets a shell complete commands, flags, exercises and users.')
    .addArgument(new Argument('<shell>', 'the shell').choices(['bash', 'zsh', 'fish']))
    .addHelpText(
      'after',
      examples(
        'source <(sciatica completion bash)          # in ~/.bashrc',
        'source <(sciatica completion zsh)           # in ~/.zshrc',
        'sciatica completion fish | source           # in config.fish',
      ),
    )
    .action((shell: string) => {
      context.stdout.write(scripts[shell] ?? '');
    });
}

/**
 * The scripts that shells load. They hand over what was typed as data, and take candidates as data: nothing of either is
 * ever evaluated. Loading one twice is the same as once.
 */
const scripts: Readonly<Record<string, string>> = {
  bash: `# Completion of sciatica for bash: source <(sciatica completion bash)
_sciatica() {
  local line first=1
  COMPREPLY=()
  while IFS= read -r line; do
    if [ -z "$first" ]; then
      COMPREPLY+=("$line")
    elif [ "$line" = files ]; then
      compopt -o default 2>/dev/null
      return
    else
      first=
    fi
  done < <(sciatica complete bash "\${COMP_LINE:0:COMP_POINT}" "$COMP_WORDBREAKS" 2>/dev/null)
}
complete -F _sciatica sciatica
`,
  zsh: `# Completion of sciatica for zsh: source <(sciatica completion zsh)
_sciatica() {
  local line
  local -a lines values shown
  lines=("\${(@f)$(sciatica complete zsh -- "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null)}")
  if [[ \${lines[1]} == files ]]; then
    [[ $PREFIX == -*=* ]] && compset -P '*='
    _files
    return
  fi
  for line in "\${(@)lines[2,-1]}"; do
    values+=("\${line%%$'\\t'*}")
    shown+=("\${\${line/$'\\t'/  -- }%  -- }")
  done
  (( $#values )) && compadd -V sciatica -M 'm:{[:lower:]}={[:upper:]}' -l -d shown -a values
}
_sciatica_register() {
  precmd_functions=(\${precmd_functions:#_sciatica_register})
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i }
  compdef _sciatica sciatica
}
# At the first prompt, because compinit, wherever it stands in .zshrc, forgets what was registered before it.
precmd_functions=(\${precmd_functions:#_sciatica_register} _sciatica_register)
`,
  fish: `# Completion of sciatica for fish: sciatica completion fish | source
function __sciatica_complete
    set -l lines (sciatica complete fish (commandline -cp) 2>/dev/null)
    if test "$lines[1]" = files
        __fish_complete_path (commandline -ct)
    else if test (count $lines) -gt 1
        printf '%s\\n' $lines[2..-1]
    end
end
complete -c sciatica -e
complete -c sciatica -f -k -a '(__sciatica_complete)'
`,
};
