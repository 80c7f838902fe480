/**
 * Completion scripts for shells, made from the tree of commands. They hold everything they need: pressing a key must not
 * start a process. Each is a list of what can follow each command and each option that has choices.
 */
import { type CommandNode, type CommandOption, listNodes } from './command-tree.ts'

export const SHELLS = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof SHELLS)[number]

export function writeCompletion(shell: Shell, root: CommandNode): string {
  return { bash: writeBash, zsh: writeZsh, fish: writeFish }[shell](root)
}

const nameOf = ({ path }: CommandNode): string => path.join(' ')
const lastOf = ({ path }: CommandNode): string => path.at(-1) ?? ''
const wordsOf = (node: CommandNode): string =>
  [...node.children.map(lastOf), ...node.options.map(({ long }) => long)].join(' ')

/** Options by command and name whose value is one of a few. */
function choicesOf(root: CommandNode): readonly (readonly [key: string, choices: readonly string[]])[] {
  return listNodes(root).flatMap((node) =>
    node.options
      .filter(({ choices }) => choices.length > 0)
      .map(({ long, choices }) => [`${nameOf(node)}|${long}`, choices] as const),
  )
}

/** Options after which a file, or something that cannot be known, is written. */
function valuesOf(root: CommandNode): readonly string[] {
  return listNodes(root).flatMap((node) =>
    node.options.filter(takesAnything).map(({ long }) => `${nameOf(node)}|${long}`),
  )
}

function takesAnything({ takesValue, choices }: CommandOption): boolean {
  return takesValue && choices.length === 0
}

/** bash and zsh: find the command among the words, then offer its words. */
function writeBash(root: CommandNode): string {
  const commands = listNodes(root)
  const paths = commands.map(nameOf).filter((name) => name !== '')
  return `# bash completion for drover: source <(drover completion bash)
_drover() {
  local word path="" current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" index
  for ((index = 1; index < COMP_CWORD; index++)); do
    word="\${path:+$path }\${COMP_WORDS[index]}"
    case "$word" in
${wrapPattern(paths)}) path="$word" ;;
    esac
  done
  local words=""
  case "$path|$previous" in
${choicesOf(root)
  .map(([key, choices]) => `    "${key}") words="${choices.join(' ')}" ;;`)
  .join('\n')}
${wrapPattern(valuesOf(root))}) compopt -o default 2>/dev/null; COMPREPLY=(); return ;;
    *)
      case "$path" in
${commands.map((node) => `        "${nameOf(node)}") words="${wordsOf(node)} --help" ;;`).join('\n')}
      esac ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  if [[ \${#COMPREPLY[@]} -eq 0 && "$current" != -* ]]; then compopt -o default 2>/dev/null; fi
}
complete -F _drover drover
`
}

function wrapPattern(names: readonly string[]): string {
  return names.map((name) => `    "${name}"`).join('|\\\n')
}

/** By way of bash's: zsh can run it. */
function writeZsh(root: CommandNode): string {
  const bash = writeBash(root).split('\n').slice(1).join('\n')
  return `#compdef drover
# zsh completion for drover: source <(drover completion zsh)
autoload -U +X bashcompinit && bashcompinit
compopt() { : }
${bash}`
}

function writeFish(root: CommandNode): string {
  const lines = listNodes(root).flatMap((node) => {
    const at = `__drover_at '${nameOf(node)}'`
    const children = node.children.map(
      (child) => `complete -c drover -f -n "${at}" -a '${lastOf(child)}' -d '${escapeFish(child.description)}'`,
    )
    const options = node.options.map(({ long, takesValue, choices, description }) => {
      const value = choices.length > 0 ? ` -x -a '${choices.join(' ')}'` : takesValue ? ' -r' : ''
      return `complete -c drover -n "${at}" -l '${long.replace(/^--/, '')}'${value} -d '${escapeFish(description)}'`
    })
    return [...children, ...options]
  })
  const paths = listNodes(root)
    .map(nameOf)
    .filter((name) => name !== '')
    .map((name) => `'${name}'`)
  return `# fish completion for drover: drover completion fish | source
function __drover_at
  set -l path ''
  for word in (commandline -opc)[2..-1]
    set -l next (string trim "$path $word")
    if contains -- "$next" ${paths.join(' ')}
      set path "$next"
    end
  end
  test "$path" = "$argv[1]"
end
${lines.join('\n')}
`
}

function escapeFish(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")
}
