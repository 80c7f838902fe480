/** `drover rules …`: what signers and API keys may spend. `drover policy test` is `drover rules test`. */
import { checksumText } from '@drover/server/contract'
import type { Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { readChainId, readInstantOrSpan } from '../option-value.ts'
import { presentTable } from '../output/present-table.ts'
import type { Style } from '../output/style.ts'
import { addServiceCommand, type ServiceCommand } from '../service/service-command.ts'
import { presentRules, spellRule } from './present-rules.ts'
import { readRuleFile } from './read-rule-file.ts'
import { createReplay, type Replay } from './replay-rules.ts'
import { readSubject } from './rule-subject.ts'

const readSince = readInstantOrSpan(-1)
const WHOSE = '<signer-or-key>'

function addReason(command: Command): void {
  command.option('--reason <text>', 'why; stored in the audit log')
}

function readReason(command: Command): { readonly reason?: string } {
  const { reason } = command.opts<{ reason?: string }>()
  return reason === undefined ? {} : { reason }
}

const show: ServiceCommand = {
  name: `show ${WHOSE}`,
  description: 'show the spending rules of a signer (address) or an API key (id), and how much of each is used',
  examples: ['drover rules show 0xf39F…', 'drover rules show 0123456789abcdef'],
  async run({ drover, signal, style, print }, command) {
    const subject = readSubject(command.args[0] ?? '')
    const { rules } = drover
    const shown =
      subject.type === 'key'
        ? await rules.ofKey(subject.id, { signal })
        : await rules.ofSigner(subject.address, { signal })
    print(shown, () => presentRules(shown, style))
    return undefined
  },
}

function createSet(context: CommandContext): ServiceCommand {
  return {
    name: `set ${WHOSE} <file>`,
    description: 'set the spending rules of a signer or an API key from a JSON file; replaces the rules it has',
    examples: ['drover rules set 0xf39F… rules.json', 'drover rules set 0xf39F… rules.json --reason "new payee"'],
    configure: addReason,
    async run({ drover, signal, style, print }, command) {
      const options = { signal, ...readReason(command) }
      const subject = readSubject(command.args[0] ?? '')
      const { request } = await readRuleFile(context.terminal.folder, command.args[1] ?? '')
      const { rules } = drover
      const shown =
        subject.type === 'key'
          ? await rules.setKey(subject.id, request, options)
          : await rules.setSigner(subject.address, request, options)
      print(shown, () => presentRules(shown, style))
      return undefined
    },
  }
}

const clear: ServiceCommand = {
  name: `clear ${WHOSE}`,
  description: 'remove the spending rules of a signer or an API key, and forget what it has spent',
  examples: ['drover rules clear 0xf39F…'],
  configure: addReason,
  async run({ drover, signal, style, print }, command) {
    const options = { signal, ...readReason(command) }
    const subject = readSubject(command.args[0] ?? '')
    const { rules } = drover
    const shown =
      subject.type === 'key'
        ? await rules.clearKey(subject.id, options)
        : await rules.clearSigner(subject.address, options)
    print(shown, () => presentRules(shown, style))
    return undefined
  },
}

function createTest(context: CommandContext): ServiceCommand {
  return {
    name: 'test <file>',
    description: 'show what a rule set would have done with past transactions; changes nothing',
    examples: ['drover rules test rules.json --from 0xf39F…', 'drover rules test rules.json --since 720h --json'],
    configure: (command) =>
      void command
        .option('--from <address>', 'only transactions of this signer')
        .option('--chain-id <id>', 'only transactions on this chain', readChainId)
        .option('--since <time>', 'only transactions accepted since then: a time or a span such as 720h', readSince),
    async run({ drover, signal, style, print }, command) {
      const { rules } = await readRuleFile(context.terminal.folder, command.args[0] ?? '')
      const { from, chainId, since } = command.opts<{ from?: string; chainId?: number; since?: string }>()
      const replay = createReplay(rules)
      const filter = {
        state: ['CONFIRMED', 'FAILED_FINAL'] as const,
        ...(from !== undefined && { from }),
        ...(chainId !== undefined && { chainId }),
        ...(since !== undefined && { since }),
      }
      for await (const { snapshot } of drover.transactions.list(filter, { order: 'asc', pageSize: 200, signal }))
        replay.add(snapshot)
      const result = replay.result()
      print(result, () => presentReplay(result, style))
      return undefined
    },
  }
}

function presentReplay({ allowed, refused, toApprove, first }: ReturnType<Replay['result']>, style: Style): string {
  const sum = `${allowed} allowed, ${refused} refused, ${toApprove} would need approval.`
  if (first.length === 0) return sum
  const columns = [
    { heading: 'TRANSACTION', isWhole: true as const, cell: ({ id }: (typeof first)[number]) => id },
    { heading: 'ACCEPTED', cell: ({ at }: (typeof first)[number]) => at },
    { heading: 'RULE', isWhole: true as const, cell: ({ rule }: (typeof first)[number]) => spellRule(rule) },
    { heading: 'WHY', cell: ({ message }: (typeof first)[number]) => checksumText(message) },
  ]
  return [sum, '', 'The first that would be refused:', presentTable(columns, first, style)].join('\n')
}

export function addRulesGroup(program: Command, context: CommandContext): void {
  const group = program.command('rules').description('set what signers and API keys may spend')
  for (const definition of [show, createSet(context), clear, createTest(context)])
    addServiceCommand(group, context, definition)
  const alias = program.command('policy', { hidden: true }).description('see `drover rules`')
  addServiceCommand(alias, context, createTest(context))
}
