/** Every lane: who it is, under which policy, how far its nonces are, its load and its owner. */
import type { LaneResource } from '../../api/api-resources.ts'
import { formatCount } from '../../format/format-amount.ts'
import { formatAge } from '../../format/format-time.ts'
import { shortenAddress, shortenId } from '../../format/shorten.ts'
import { useNow } from '../../live/use-now.ts'
import { formHash } from '../../pages/route.ts'
import { nameChain } from '../../words/chain-names.ts'
import { Copyable } from '../copyable.tsx'
import { Amount } from '../figures.tsx'
import { TimedText } from '../timed-text.tsx'
import { NoSigners } from './no-signers.tsx'

export function SignerTable({ lanes }: { readonly lanes: readonly LaneResource[] }) {
  if (lanes.length === 0) return <NoSigners />
  const hasManyChains = new Set(lanes.map(({ chainId }) => chainId)).size > 1
  return (
    <table class="table signer-table">
      <thead>
        <tr>
          <th scope="col">Signer</th>
          {hasManyChains && <th scope="col">Chain</th>}
          <th scope="col">Policy</th>
          <th scope="col" class="is-number">
            Next nonce
          </th>
          <th scope="col" class="is-number">
            Queued
          </th>
          <th scope="col" class="is-number">
            In flight
          </th>
          <th scope="col" class="is-number">
            Stuck
          </th>
          <th scope="col" class="is-number">
            Balance
          </th>
          <th scope="col">Owner node</th>
        </tr>
      </thead>
      <tbody>
        {lanes.map((lane) => (
          <SignerRow key={`${lane.chainId}:${lane.address}`} lane={lane} hasManyChains={hasManyChains} />
        ))}
      </tbody>
    </table>
  )
}

function SignerRow({ lane, hasManyChains }: { readonly lane: LaneResource; readonly hasManyChains: boolean }) {
  const { address, label, policy, nextNonce, queued, inFlight, stuck, paused, window } = lane
  const href = formHash({ page: 'signer', address, after: null })
  const problem = lane.problems.find(({ level }) => level === 'bad') ?? lane.problems[0]
  return (
    <tr class="is-signer">
      <th scope="row" data-label="Signer">
        {label !== null && <span class="signer-label">{label}</span>}
        <Copyable text={address} shown={shortenAddress(address)} what="address" href={href} />
        {paused && <span class="tag is-warn">paused</span>}
        {problem !== undefined && (
          <span class={`cell-note signer-problem is-${problem.level}`} title={problem.message}>
            <TimedText text={problem.message} />
          </span>
        )}
      </th>
      {hasManyChains && <td data-label="Chain">{nameChain(lane.chainId)}</td>}
      <td data-label="Policy">
        <span class="tag">{policy.preset}</span>
      </td>
      <td data-label="Next nonce" class="is-number">
        {nextNonce === null ? <span class="muted">none yet</span> : nextNonce}
      </td>
      <td data-label="Queued" class="is-number">
        <Count count={queued} />
      </td>
      <td data-label="In flight" class="is-number">
        <Count count={inFlight} />
        {window !== null && <span class="muted"> / {formatCount(window.size)}</span>}
      </td>
      <td data-label="Stuck" class={`is-number ${stuck > 0 ? 'is-alarming' : ''}`}>
        <Count count={stuck} />
      </td>
      <td data-label="Balance" class="is-number">
        <LaneBalance lane={lane} />
      </td>
      <td data-label="Owner node">
        <LaneOwner lane={lane} />
      </td>
    </tr>
  )
}

/** Zero is the normal case, and should not draw the eye. */
function Count({ count }: { readonly count: number }) {
  return <span class={count === 0 ? 'muted' : 'count'}>{formatCount(count)}</span>
}

/** What it has, and for how many more transactions that is enough. */
export function LaneBalance({ lane: { balance, chainId } }: { readonly lane: LaneResource }) {
  if (balance === null) return <span class="muted">not read yet</span>
  const { wei, at, runway, isLow } = balance
  return (
    <span class={isLow ? 'is-alarming' : ''} title={`as of ${at}`}>
      <Amount wei={wei} chainId={chainId} />
      {runway !== null && runway <= MAX_SHOWN && <span class="muted"> {formatCount(runway)} tx</span>}
      <BalanceAge at={at} />
    </span>
  )
}

/** An unchanged balance is stored only now and then, so its time says when it was stored, not when it was read last. */
function BalanceAge({ at }: { readonly at: string }) {
  const ageMs = useNow() - Date.parse(at)
  return ageMs < OLD_AFTER_MS ? null : <span class="cell-note muted">as of {formatAge(ageMs)} ago</span>
}

/** The balance of an idle signer is read every minute, and stored again every five if it is the same. */
const OLD_AFTER_MS = 7 * 60_000

/** Where it is enough for longer than anyone looks ahead, the number says nothing. */
const MAX_SHOWN = 10_000

export function LaneOwner({ lane: { lease } }: { readonly lane: LaneResource }) {
  if (lease === null) return <span class="muted">none yet</span>
  return (
    <span title={`${lease.node}, fence ${lease.fence}`}>
      <span class="mono">{shortenId(lease.node)}</span>
      {!lease.live && <span class="tag is-warn">lease expired</span>}
    </span>
  )
}
