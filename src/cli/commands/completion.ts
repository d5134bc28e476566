import { Argument, type Command } from 'commander';
import type { Context } from '../../context.ts';
import { examples } from '../help.ts';

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
    .action(async (shell: string) => {
      const { scripts } = await import('../complete/scripts.ts');
      context.stdout.write(scripts[shell] ?? '');
    });
}
