/** Two minutes of everything at once. `npm run storm -- --minutes 20` is the long one; DROVER_STORM_SEED picks another plan. */
import { expect, inject, test } from 'vitest'
import { runStorm } from '../storm/run-storm.ts'
import { printReport } from '../storm/storm-report.ts'

const SEED = Number(process.env.DROVER_STORM_SEED ?? 14)

test(`a storm, seed ${SEED}: nothing lost, nothing twice, no gap, no false alarm, every event delivered [G1] [G3] [G4] [G5] [G6] [G7] [G8]`, async () => {
  const happened: string[] = []
  const tell = (line: string) => void happened.push(line)
  const report = await runStorm({ seed: SEED, minutes: 2, intentsPerSecond: 8, main: inject('droverMain'), tell })
  process.stdout.write(printReport(report))
  expect(report.held, [...happened, printReport(report)].join('\n')).toBe(true)
  for (const path of ['http', 'batch', 'json_rpc', 'reservation'])
    expect(report.intents, `nothing was asked for over ${path}`).toHaveProperty(path)
  for (const kind of ['kill', 'freeze', 'cut_database', 'promote', 'rolling_restart', 'reorg'])
    expect(report.faults, `no ${kind} was planned`).toHaveProperty(kind)
})
