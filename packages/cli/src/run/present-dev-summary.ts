/** What `drover dev` shows when everything runs: where it is, who can send, and what to paste next. */
import type { DevSummary } from '@drover/dev'

export function presentDevSummary(summary: DevSummary): string {
  const signers = summary.signers.map(({ address, policy }) => `  ${address}  ${policy}`)
  return [
    '',
    `Drover is ready: ${summary.url}`,
    '',
    `  chain     ${summary.rpcUrl} (chain id ${summary.chainId})`,
    `  database  ${summary.databaseUrl}`,
    '',
    'Signers (funded on the local chain):',
    ...signers,
    '',
    ...presentTrial(summary),
    'Press Ctrl-C to stop. The next start continues with the same data.',
    '',
  ].join('\n')
}

function presentTrial({ url, signers }: DevSummary): readonly string[] {
  const from = signers[0]?.address
  if (from === undefined) return []
  const to = signers[1]?.address ?? from
  const body = JSON.stringify({ from, to, value: '1', requestId: 'hello-1' })
  return [
    'Send a transaction:',
    `  curl -s ${url}/v1/transactions -H 'content-type: application/json' -d '${body}'`,
    'Check its status:',
    `  curl -s '${url}/v1/transactions?requestId=hello-1'`,
    '',
  ]
}
