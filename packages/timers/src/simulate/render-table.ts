/** A simulation as text: one row per block, then the results of each group of timers. */
import type { BlockMeasure } from './block-measure.ts'
import type { SimulationReport } from './run-scenario.ts'

type Column<T> = readonly [title: string, cell: (row: T) => string]

const BLOCK_COLUMNS: readonly Column<BlockMeasure>[] = [
  ['block', (row) => `${row.height}`],
  ['fires', (row) => `${row.fires}`],
  ['targets', (row) => `${row.targetsServed}`],
  ['waiting', (row) => `${row.waiting}`],
  ['oldest', (row) => `${row.oldestWaitBlocks}`],
  ['mean wait', (row) => row.meanWaitBlocks.toFixed(1)],
  ['fairness', (row) => row.fairness.toFixed(3)],
  ['evicted', (row) => `${row.evictions}`],
  ['failed', (row) => `${row.failures}`],
  ['lane', (row) => `${row.laneUsed}`],
  ['fee/cycle', (row) => `${row.basefeeCycles}`],
  ['fee/cell', (row) => `${row.basefeeCells}`],
]

const PLAN_COLUMNS: readonly Column<SimulationReport['plans'][number]>[] = [
  ['timers', (row) => row.name],
  ['set', (row) => `${row.set}`],
  ['fires', (row) => `${row.fires}`],
  ['mean wait', (row) => row.meanWaitBlocks.toFixed(1)],
  ['max wait', (row) => `${row.maxWaitBlocks}`],
]

export function renderTable(report: SimulationReport): string {
  const { scenario, blocks, plans, refusals, stateRoot } = report
  const notes = [`state root ${stateRoot}`]
  if (refusals.count > 0)
    notes.unshift(`${refusals.count} transactions were refused, the first with: ${refusals.first}`)
  return [
    `${scenario.name}: ${scenario.blocks} blocks`,
    '',
    layOut(BLOCK_COLUMNS, blocks, 0),
    '',
    layOut(PLAN_COLUMNS, plans, 1),
    '',
    ...notes,
    '',
  ].join('\n')
}

/** Numbers to the right; the first `texts` columns to the left. */
function layOut<T>(columns: readonly Column<T>[], rows: readonly T[], texts: number): string {
  const lines = [columns.map(([title]) => title), ...rows.map((row) => columns.map(([, cell]) => cell(row)))]
  const widths = columns.map((_, index) => lines.reduce((most, line) => Math.max(most, line[index]?.length ?? 0), 0))
  const pad = (text: string, index: number) =>
    index < texts ? text.padEnd(widths[index] ?? 0) : text.padStart(widths[index] ?? 0)
  return lines.map((line) => line.map(pad).join('  ').trimEnd()).join('\n')
}
