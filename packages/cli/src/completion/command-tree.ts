/** The tree of commands as plain data: what completion scripts and the reference page are made from. */
import type { Command } from 'commander'

export interface CommandOption {
  /** `--from <address>`. */
  readonly flags: string
  /** `--from`. */
  readonly long: string
  readonly takesValue: boolean
  /** Empty: anything. */
  readonly choices: readonly string[]
  readonly description: string
}

export interface CommandNode {
  /** From the program down: `tx send`; empty for the program itself. */
  readonly path: readonly string[]
  readonly description: string
  /** `[options] <id>`. */
  readonly usage: string
  readonly options: readonly CommandOption[]
  readonly children: readonly CommandNode[]
}

export function describeCommands(command: Command, path: readonly string[] = []): CommandNode {
  const help = command.createHelp()
  return {
    path,
    description: command.description(),
    usage: command.usage(),
    options: help.visibleOptions(command).map((option) => ({
      flags: option.flags,
      long: option.long ?? option.flags,
      takesValue: option.required || option.optional,
      choices: option.argChoices ?? [],
      description: option.description,
    })),
    children: command.commands.map((child) => describeCommands(child, [...path, child.name()])),
  }
}

/** All of them, parents first. */
export function listNodes(node: CommandNode): readonly CommandNode[] {
  return [node, ...node.children.flatMap(listNodes)]
}
