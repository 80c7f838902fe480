/** Text in, text out: plays a scenario file, or the built-in congestion demo, and draws what happened. */
import { CONGESTION_DEMO } from './congestion-demo.ts'
import { parseScenario } from './parse-scenario.ts'
import { renderPlot } from './render-plot.ts'
import { renderTable } from './render-table.ts'
import { runScenario, type SimulationReport } from './run-scenario.ts'

export type Simulation =
  | { readonly type: 'simulated'; readonly report: SimulationReport; readonly table: string; readonly svg: string }
  /** One line per problem, each starting with the field it is about. */
  | { readonly type: 'invalid'; readonly problems: readonly string[] }

export function simulateTimers(scenarioText: string = CONGESTION_DEMO): Simulation {
  const parsed = parseScenario(scenarioText)
  if (parsed.type === 'invalid') {
    return {
      type: 'invalid',
      problems: parsed.problems.map(({ path, message }) => `${path === '' ? 'scenario' : path} ${message}`),
    }
  }
  const report = runScenario(parsed.scenario)
  return { type: 'simulated', report, table: renderTable(report), svg: renderPlot(report) }
}
