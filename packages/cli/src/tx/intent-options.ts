/** The options by which a transaction is described on the command line, and the request that they make. */
import type { TransactionRequest } from '@drover/client'
import { integer } from '@drover/server/settings'
import { type Command, Option } from 'commander'
import {
  collect,
  collectEntries,
  readAmount,
  readBy,
  readChainId,
  readFinality,
  readInstantOrSpan,
} from '../option-value.ts'
import { UsageError } from '../service/service-session.ts'
import { readCallArguments } from './call-arguments.ts'

export interface IntentOptions {
  readonly chainId?: number
  readonly from: string
  readonly to?: string
  readonly value?: string
  readonly data?: string
  readonly function?: string
  readonly arg?: readonly string[]
  readonly gasLimit?: string
  readonly maxFee?: string
  readonly maxPriorityFee?: string
  readonly gasPrice?: string
  readonly speed?: 'slow' | 'standard' | 'fast'
  readonly priority?: number
  readonly validUntil?: string
  readonly notBefore?: TransactionRequest['notBefore']
  readonly requestId?: string
  readonly finality?: number | 'safe' | 'finalized'
  readonly simulate: boolean
  readonly metadata?: Readonly<Record<string, string>>
}

export function addIntentOptions(command: Command): Command {
  return command
    .requiredOption('--from <address>', 'the signer to send from')
    .option('--to <address>', 'the receiver; leave out to deploy a contract with --data')
    .option('--value <amount>', 'amount in wei, or with a unit: 0.1ether, 100gwei', readAmount)
    .option('--data <hex>', 'call data, or the code to deploy')
    .option('--function <signature>', 'the function to call, such as "transfer(address,uint256)"')
    .option('--arg <value>', 'an argument of --function; repeat for each, lists and tuples as JSON', collect)
    .option('--chain-id <id>', 'the chain; optional if the service has only one', readChainId)
    .addOption(new Option('--speed <speed>', 'how fast it should be mined').choices(['slow', 'standard', 'fast']))
    .option('--gas-limit <gas>', 'gas limit (default: estimated)', readAmount)
    .option('--max-fee <amount>', 'maxFeePerGas; with --max-priority-fee', readAmount)
    .option('--max-priority-fee <amount>', 'maxPriorityFeePerGas; with --max-fee', readAmount)
    .option('--gas-price <amount>', 'for chains without EIP-1559', readAmount)
    .option('--priority <number>', '-1000 to 1000; higher goes first in the queue of the signer', readPriority)
    .option(
      '--valid-until <time>',
      'give up if no nonce is assigned by then: 10m, or an ISO 8601 time',
      readInstantOrSpan(1),
    )
    .option(
      '--not-before <block|time>',
      'wait without a nonce until the chain has this block, or a block of this time (10m, or ISO 8601)',
      readNotBefore,
    )
    .option('--request-id <id>', 'idempotency key: sending it again returns the same transaction')
    .option('--finality <rule>', 'number of confirmations, safe, or finalized', readFinality)
    .option('--no-simulate', 'accept it without simulating it first')
    .option('--metadata <name=value>', 'metadata to store with it; repeat for more', collectEntries)
}

export function toRequest(options: IntentOptions): TransactionRequest {
  const { from, to, value, data, chainId, speed, gasLimit, priority, validUntil, requestId, finality, metadata } =
    options
  const { notBefore } = options
  const call = toCall(options)
  const fees = toFees(options)
  return {
    from,
    ...(to !== undefined && { to }),
    ...(value !== undefined && { value }),
    ...(data !== undefined && { data }),
    ...(call !== undefined && { call }),
    ...(chainId !== undefined && { chainId }),
    ...(speed !== undefined && { speed }),
    ...(gasLimit !== undefined && { gasLimit }),
    ...(fees !== undefined && { fees }),
    ...(priority !== undefined && { priority }),
    ...(validUntil !== undefined && { validUntil }),
    ...(notBefore !== undefined && { notBefore }),
    ...(requestId !== undefined && { requestId }),
    ...(finality !== undefined && { finality }),
    ...(!options.simulate && { simulate: false }),
    ...(metadata !== undefined && { metadata }),
  }
}

function toCall({ function: signature, arg = [], data }: IntentOptions): TransactionRequest['call'] {
  if (signature === undefined) {
    if (arg.length > 0) throw new UsageError('--arg needs --function')
    return undefined
  }
  if (data !== undefined) throw new UsageError('--function and --data cannot be given together')
  const read = readCallArguments(signature, arg)
  if ('problem' in read) throw new UsageError(read.problem)
  return { function: signature, args: read.args }
}

function toFees({ maxFee, maxPriorityFee, gasPrice }: IntentOptions): TransactionRequest['fees'] {
  if (maxFee === undefined && maxPriorityFee === undefined && gasPrice === undefined) return undefined
  return {
    ...(maxFee !== undefined && { maxFeePerGas: maxFee }),
    ...(maxPriorityFee !== undefined && { maxPriorityFeePerGas: maxPriorityFee }),
    ...(gasPrice !== undefined && { gasPrice }),
  }
}

function readNotBefore(text: string): NonNullable<TransactionRequest['notBefore']> {
  return /^\d+$/.test(text)
    ? { height: readBy(integer(0, Number.MAX_SAFE_INTEGER))(text) }
    : { time: readInstantOrSpan(1)(text) }
}

function readPriority(text: string): number {
  const isNegative = text.startsWith('-')
  const size = readBy(integer(0, 1_000))(isNegative ? text.slice(1) : text)
  return isNegative ? -size : size
}
