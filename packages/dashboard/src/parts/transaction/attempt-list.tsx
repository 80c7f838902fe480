/** Every byte string that was signed for a transaction; all share its nonce, so at most one can count. */
import type { AttemptResource } from '../../api/api-resources.ts'
import { groupDigits } from '../../format/format-amount.ts'
import { shortenHash } from '../../format/shorten.ts'
import { Copyable } from '../copyable.tsx'
import { Clock, GasPrice } from '../figures.tsx'
import { Empty } from '../placeholders.tsx'

interface AttemptListProps {
  readonly attempts: readonly AttemptResource[]
  readonly includedHash: string | null
}

export function AttemptList({ attempts, includedHash }: AttemptListProps) {
  return (
    <section class="panel" aria-labelledby="attempts-title">
      <div class="panel-head">
        <h2 id="attempts-title">Attempts</h2>
        <span class="muted">{attempts.length}</span>
      </div>
      {attempts.length === 0 ? (
        <Empty title="Nothing signed yet" />
      ) : (
        <table class="table attempt-table">
          <thead>
            <tr>
              <th scope="col">Hash</th>
              <th scope="col">Kind</th>
              <th scope="col" class="is-number">
                Max per gas
              </th>
              <th scope="col" class="is-number">
                Gas limit
              </th>
              <th scope="col" class="is-number">
                Signed
              </th>
            </tr>
          </thead>
          <tbody>
            {attempts.map((attempt) => (
              <AttemptRow key={attempt.hash} attempt={attempt} isIncluded={attempt.hash === includedHash} />
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}

function AttemptRow({ attempt, isIncluded }: { readonly attempt: AttemptResource; readonly isIncluded: boolean }) {
  const { hash, kind, fees, gasLimit, createdAt } = attempt
  return (
    <tr>
      <th scope="row" data-label="Hash">
        <Copyable text={hash} shown={shortenHash(hash)} what="hash" />
      </th>
      <td data-label="Kind">
        {kind} {isIncluded && <span class="tag is-good">mined</span>}
      </td>
      <td data-label="Max per gas" class="is-number">
        {'gasPrice' in fees ? (
          <GasPrice wei={fees.gasPrice} />
        ) : (
          <>
            <GasPrice wei={fees.maxFeePerGas} />
            <span class="muted cell-note">
              tip <GasPrice wei={fees.maxPriorityFeePerGas} />
            </span>
          </>
        )}
      </td>
      <td data-label="Gas limit" class="is-number">
        {groupDigits(gasLimit)}
      </td>
      <td data-label="Signed" class="is-number">
        <Clock at={createdAt} />
      </td>
    </tr>
  )
}
