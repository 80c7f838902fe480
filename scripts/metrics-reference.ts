/** The reference page of all metrics, out of the metrics table. */
import { METRICS, type Metric } from '../packages/server/src/telemetry/metrics.ts'
import { markdownTable } from './markdown-table.ts'

export function buildMetricsReference(): string {
  return `# Metrics

Served at \`/metrics\` in the text format of Prometheus, together with the metrics of the Node.js process (\`process_…\`, \`nodejs_…\`).

${markdownTable(['metric', 'kind', 'labels', 'meaning'], Object.entries(METRICS).map(rowOf))}
`
}

function rowOf([name, metric]: readonly [string, Metric]): readonly string[] {
  const labels = Object.entries(metric.labels).map(([label, values]) => `\`${label}\`: ${values}`)
  return [`\`${name}\``, metric.kind, labels.join('; '), metric.help]
}
