/** `drover signer policy` and `drover signer add`: how transactions of a signer are driven. */
import type { SignerChange } from '@drover/client'
import { boolean, integer, orWord } from '@drover/server/settings'
import { type Command, Option } from 'commander'
import { readAmount, readBy, readChainId, readDuration, readFinality } from '../option-value.ts'
import type { ServiceCommand } from '../service/service-command.ts'
import { UsageError } from '../service/service-session.ts'
import { presentLane } from './present-lane.ts'

interface PolicyOptions {
  readonly chainId?: number
  readonly label?: string | false
  readonly preset?: 'stable' | 'fast'
  readonly maxInFlight?: number | 'auto'
  readonly slotHeldUntil?: 'mined' | 'final'
  readonly maxUnfinal?: number
  readonly resubmitInterval?: number
  readonly stuckAfter?: number
  readonly maxSubmitAttempts?: number
  readonly bumpAfter?: number
  readonly mayReplace?: 'never' | 'on_order' | 'automatic'
  readonly lowBalance?: string
  readonly lowRunway?: number | 'none'
  readonly maxFee?: string
  readonly maxTxFee?: string
  readonly gasLimitPercent?: number
  readonly finality?: number | 'safe' | 'finalized' | 'none'
  readonly externalUse?: boolean
  readonly onForeignNonce?: 'stuck' | 'requeue'
  readonly onLackOfFunds?: 'hold' | 'pass_over'
  readonly reason?: string
}

/** Not null, which commander takes for a missing value. */
const orNone =
  <T>(read: (text: string) => T) =>
  (text: string): T | 'none' =>
    text === 'none' ? text : read(text)
const isTrue = readBy(boolean)

function addPolicyOptions(command: Command): Command {
  return command
    .option('--label <text>', 'name, for people')
    .addOption(
      new Option('--preset <preset>', 'set the fields in which the presets differ').choices(['stable', 'fast']),
    )
    .option(
      '--max-in-flight <count>',
      'maximum transactions in flight, or auto',
      readBy(orWord(integer(1, 10_000), 'auto')),
    )
    .addOption(
      new Option('--slot-held-until <what>', 'when a transaction stops counting as in flight').choices([
        'mined',
        'final',
      ]),
    )
    .option('--max-unfinal <count>', 'maximum transactions that are mined but not final', readBy(integer(1, 100_000)))
    .option('--resubmit-interval <duration>', 'send the same bytes again after this time', readDuration)
    .option('--stuck-after <duration>', 'mark as STUCK if not mined after this time', readDuration)
    .option(
      '--max-submit-attempts <count>',
      'mark as STUCK after this many refused sends in a row',
      readBy(integer(1, 100_000)),
    )
    .option('--bump-after <duration>', 'raise the price after this time', readDuration)
    .addOption(
      new Option('--may-replace <when>', 'when sent transactions may be replaced').choices([
        'never',
        'on_order',
        'automatic',
      ]),
    )
    .option('--low-balance <amount>', 'warn below this balance, or none', orNone(readAmount))
    .option(
      '--low-runway <count>',
      'warn if the balance pays for fewer transactions, or none',
      orNone(readBy(integer(1, 1_000_000))),
    )
    .option('--max-fee <amount>', 'maximum price per gas, or none', orNone(readAmount))
    .option(
      '--max-tx-fee <amount>',
      "maximum fee per transaction, or none (the chain's cap still applies)",
      orNone(readAmount),
    )
    .option(
      '--gas-limit-percent <percent>',
      'gas limit as a percentage of the estimate, 100 to 1000',
      readBy(integer(100, 1_000)),
    )
    .option(
      '--finality <rule>',
      'number of confirmations, safe, finalized, or none (use the rule of the chain)',
      orNone(readFinality),
    )
    .addOption(
      new Option('--external-use <bool>', 'whether others use the key too')
        .choices(['true', 'false'])
        .argParser(isTrue),
    )
    .addOption(
      new Option('--on-foreign-nonce <what>', 'what to do if another transaction used a nonce').choices([
        'stuck',
        'requeue',
      ]),
    )
    .addOption(
      new Option(
        '--on-lack-of-funds <what>',
        'when a transaction waits: hold those behind it, or let them pass',
      ).choices(['hold', 'pass_over']),
    )
}

const change: ServiceCommand = {
  name: 'policy <address>',
  description: 'change the policy or label of a signer; other fields stay as they are',
  examples: [
    'drover signer policy 0xf39F… --preset fast --max-in-flight 32',
    'drover signer policy 0xf39F… --max-fee 200gwei --low-balance 0.5ether --label payouts',
  ],
  configure: (command) =>
    void addPolicyOptions(command)
      .option('--no-label', 'remove the label')
      .option('--chain-id <id>', 'the chain; optional if the signer is on only one', readChainId)
      .option('--reason <text>', 'why; stored in the history'),
  async run({ drover, signal, style, print }, command) {
    const options = command.opts<PolicyOptions>()
    const lane = await drover.signers.update(command.args[0] ?? '', toChange(options), { signal })
    print(lane, () => presentLane(lane, style))
    return undefined
  },
}

const add: ServiceCommand = {
  name: 'add [address]',
  description: 'register a signer on a chain; the service must have its key, or creates one',
  examples: [
    'drover signer add 0xf39F… --chain-id 10 --preset fast --label payouts',
    'drover signer add --create-key --chain-id 10 --label payouts',
  ],
  configure: (command) =>
    void addPolicyOptions(command)
      .requiredOption('--chain-id <id>', 'the chain to send on', readChainId)
      .option('--create-key', 'create a new key, encrypted in the database; needs a master key in the service'),
  async run({ drover, signal, style, print }, command) {
    const options = command.opts<PolicyOptions & { chainId: number; createKey?: boolean }>()
    const policy = toPolicy(options)
    const [address] = command.args
    if ((address === undefined) === (options.createKey !== true))
      throw new UsageError('name an address, or pass --create-key')
    const body = {
      chainId: options.chainId,
      ...(address === undefined ? { createKey: true as const } : { address }),
      ...(typeof options.label === 'string' && { label: options.label }),
      ...(policy !== null && { policy }),
    }
    const lane = await drover.request('POST /v1/signers', { body }, { signal })
    print(lane, () => presentLane(lane, style))
    return undefined
  },
}

function toChange(options: PolicyOptions): SignerChange {
  const { chainId, label, reason } = options
  const policy = toPolicy(options)
  if (label === undefined && policy === null) throw new UsageError('no change given')
  return {
    ...(chainId !== undefined && { chainId }),
    ...(label !== undefined && { label: label === false ? null : label }),
    ...(policy !== null && { policy }),
    ...(reason !== undefined && { reason }),
  }
}

/** Null: nothing of it was given. */
function toPolicy(options: PolicyOptions): NonNullable<SignerChange['policy']> | null {
  const given = {
    preset: options.preset,
    maxInFlight: options.maxInFlight,
    slotHeldUntil: options.slotHeldUntil,
    maxUnfinal: options.maxUnfinal,
    resubmitIntervalMs: options.resubmitInterval,
    stuckAfterMs: options.stuckAfter,
    maxSubmitAttempts: options.maxSubmitAttempts,
    bumpAfterMs: options.bumpAfter,
    mayReplace: options.mayReplace,
    lowBalance: toNull(options.lowBalance),
    lowRunway: toNull(options.lowRunway),
    maxFeePerGas: toNull(options.maxFee),
    maxTxFee: toNull(options.maxTxFee),
    gasLimitPercent: options.gasLimitPercent,
    finality: toNull(options.finality),
    externalUse: options.externalUse,
    onForeignNonce: options.onForeignNonce,
    onDeferral: options.onLackOfFunds,
  }
  const policy = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
  return Object.keys(policy).length > 0 ? policy : null
}

function toNull<T>(value: T): Exclude<T, 'none'> | null {
  return value === 'none' ? null : (value as Exclude<T, 'none'>)
}

export const policyCommands: readonly ServiceCommand[] = [add, change]
