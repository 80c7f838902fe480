/** What the contracts logged, read from the chain when it is asked for. */
import { useContext, useState } from 'preact/hooks'
import type { ReceiptWithLogs } from '../../api/api-resources.ts'
import { formatCount } from '../../format/format-amount.ts'
import { shortenAddress, shortenHash } from '../../format/shorten.ts'
import { Service } from '../../live/service.ts'
import { useAct } from '../../live/use-act.ts'
import { describeLog } from '../../words/known-logs.ts'

type Log = NonNullable<ReceiptWithLogs['logs']>[number]

export function LogPanel({ txId }: { readonly txId: string }) {
  const { api } = useContext(Service)
  const { isBusy, problem, act } = useAct()
  const [receipt, setReceipt] = useState<ReceiptWithLogs | null>(null)

  async function show(): Promise<void> {
    const read = await act(() => api.readReceipt(txId))
    if (read !== null) setReceipt(read)
  }

  if (receipt === null) {
    return (
      <div class="logs">
        <button type="button" class="button is-small" disabled={isBusy} onClick={show}>
          Show logs
        </button>
        {problem !== null && (
          <p class="outcome is-bad" role="alert">
            {problem}
          </p>
        )}
      </div>
    )
  }
  const { logs = [], logCount = logs.length } = receipt
  return (
    <div class="logs">
      <h3>{logCount === 1 ? '1 log' : `${formatCount(logCount)} logs`}</h3>
      {logs.length < logCount && <p class="muted">The first {formatCount(logs.length)} are shown.</p>}
      <ol>
        {logs.map((log) => (
          <LogItem key={log.logIndex} log={log} />
        ))}
      </ol>
    </div>
  )
}

function LogItem({ log }: { readonly log: Log }) {
  const known = describeLog(log)
  return (
    <li class="log">
      <details>
        <summary>
          <span class="mono" title={log.address}>
            {shortenAddress(log.address)}
          </span>{' '}
          {known ?? <span class="mono muted">{shortenHash(log.topics[0] ?? log.data)}</span>}
        </summary>
        <pre class="code-block">{JSON.stringify({ topics: log.topics, data: log.data }, null, 2)}</pre>
      </details>
    </li>
  )
}
