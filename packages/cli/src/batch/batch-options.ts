/** The options of `drover batch`, and the defaults they set for rows. */
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
    .addOption(
      new Option('--format <format>', 'format of the file (default: by its extension)').choices(['csv', 'jsonl']),
    )
    .option('--from <address>', 'signer, for rows without one')
    .option('--to <address>', 'receiver, for rows without one')
    .option('--chain-id <id>', 'chain, for rows without one', readChainId)
    .option('--value <amount>', 'value in wei or with a unit (0.1ether), for rows without one', readAmount)
    .option('--function <signature>', 'function to call with the args of the row, for rows without one')
    .addOption(new Option('--speed <speed>', 'speed, for rows without one').choices(['slow', 'standard', 'fast']))
    .option('--gas-limit <gas>', 'gas limit, for rows without one', readAmount)
    .option('--valid-until <time>', 'deadline (ISO 8601), for rows without one', readInstant)
    .option('--finality <rule>', 'finality rule, for rows without one', readFinality)
    .option('--no-simulate', 'accept rows without simulating them first')
    .option('--batch-id <id>', 'id of the batch; another id sends the same rows again (default: a digest of the file)')
    .option('--journal <file>', 'journal of earlier runs (default: <file>.journal)')
    .option('--out <file>', 'write the result of each row to this file, .csv or .jsonl')
    .addOption(
      new Option('--wait <stage>', 'return when all rows have reached this stage')
        .choices(['accepted', 'mined', 'confirmed'])
        .default('confirmed'),
    )
    .option('--timeout <duration>', 'maximum time to wait', readDuration)
    .option('--dry-run', 'check the file and show what would be sent; send nothing')
    .option('--keep-going', 'continue after a row whose request id was used for a different transaction')
    .option('--chunk <rows>', 'rows per request', readCount(1, 1_000), 100)
    .option('--concurrency <count>', 'parallel requests; 1 keeps the order of the rows', readCount(1, 32), 4)
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
