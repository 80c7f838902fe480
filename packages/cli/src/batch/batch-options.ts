/** The options of `drover batch`, and what they give to rows that say nothing themselves. */
import { type Command, Option } from 'commander'
import { readAmount, readChainId, readCount, readDuration, readFinality, readInstant } from '../option-value.ts'
import type { Goal } from './board.ts'
import type { BatchFormat } from './read-rows.ts'
import type { BatchInput } from './survey-batch.ts'

export interface BatchOptions {
  readonly format?: BatchFormat
  readonly from?: string
  readonly to?: string
  readonly chainId?: number
  readonly value?: string
  readonly function?: string
  readonly speed?: 'slow' | 'standard' | 'fast'
  readonly gasLimit?: string
  readonly validUntil?: string
  readonly finality?: number | 'safe' | 'finalized'
  readonly simulate: boolean
  readonly batchId?: string
  readonly journal?: string
  readonly out?: string
  readonly wait: Goal
  readonly timeout?: number
  readonly dryRun?: boolean
  readonly keepGoing?: boolean
  readonly chunk: number
  readonly concurrency: number
}

export function addBatchOptions(command: Command): void {
  command
    .addOption(new Option('--format <format>', 'by the name of the file, if left out').choices(['csv', 'jsonl']))
    .option('--from <address>', 'for rows that name no signer')
    .option('--to <address>', 'for rows that name no target')
    .option('--chain-id <id>', 'for rows that name no chain', readChainId)
    .option('--value <amount>', 'for rows that name no value: wei, or 0.1ether', readAmount)
    .option('--function <signature>', 'for rows that name none: what to call with their args')
    .addOption(new Option('--speed <speed>', 'for rows that name none').choices(['slow', 'standard', 'fast']))
    .option('--gas-limit <gas>', 'for rows that name none', readAmount)
    .option('--valid-until <time>', 'for rows that name none; ISO 8601, the same whenever this is run', readInstant)
    .option('--finality <rule>', 'for rows that name none', readFinality)
    .option('--no-simulate', 'accept rows without trying them out first')
    .option('--batch-id <id>', 'name of the batch; another name sends the same rows again (default: by content)')
    .option('--journal <file>', 'what is known of earlier runs (default: the file with .journal behind it)')
    .option('--out <file>', 'write what became of each row, .csv or .jsonl')
    .addOption(
      new Option('--wait <stage>', 'return when all rows have come so far')
        .choices(['accepted', 'mined', 'confirmed'])
        .default('confirmed'),
    )
    .option('--timeout <duration>', 'wait no longer than this', readDuration)
    .option('--dry-run', 'only check the file and say what would be sent')
    .option('--keep-going', 'go on after a row whose request id was used for something else')
    .option('--chunk <rows>', 'rows in one request', readCount(1, 1_000), 100)
    .option('--concurrency <count>', 'requests at one time; 1 keeps the order of the rows', readCount(1, 32), 4)
}

export function toDefaults(options: BatchOptions): BatchInput['defaults'] {
  const { from, to, chainId, value, speed, gasLimit, validUntil, finality, simulate } = options
  return {
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(chainId !== undefined && { chainId }),
    ...(value !== undefined && { value }),
    ...(options.function !== undefined && { function: options.function }),
    ...(speed !== undefined && { speed }),
    ...(gasLimit !== undefined && { gasLimit }),
    ...(validUntil !== undefined && { validUntil }),
    ...(finality !== undefined && { finality }),
    ...(!simulate && { simulate: false }),
  }
}
