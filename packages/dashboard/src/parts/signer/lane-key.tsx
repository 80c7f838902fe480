/** Where the key of a signer is, whether it can sign, when it last did, and a button that tries it. */
import { useContext, useState } from 'preact/hooks'
import { ApiProblem, ServiceAway } from '../../api/api-failure.ts'
import type { KeyCheckResource, LaneResource } from '../../api/api-resources.ts'
import { useWhyNot } from '../../live/rights.ts'
import { Service } from '../../live/service.ts'
import { describeKey } from '../../words/key-words.ts'
import { announce } from '../announcer.tsx'
import { Clock } from '../figures.tsx'

export function LaneKey({ lane }: { readonly lane: LaneResource }) {
  const { api } = useContext(Service)
  const [result, setResult] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  // Why not is said below the signer's other actions, which need the same.
  const mayVerify = useWhyNot('operate') === null

  async function verify(): Promise<void> {
    setBusy(true)
    const words = await api.verifySigner(lane.address).then(describeCheck, describeFailure)
    setBusy(false)
    setResult(words)
    announce(words)
  }

  return (
    <>
      {lane.key === null ? <span class="muted">not on this node</span> : describeKey(lane.key)}
      {lane.key !== null && !lane.key.canSign && <KeyProblem keyState={lane.key} />}
      <span class="muted">
        {lane.lastSignedAt === null ? (
          ', has not signed yet'
        ) : (
          <>
            , last signed <Clock at={lane.lastSignedAt} />
          </>
        )}
      </span>{' '}
      {mayVerify && (
        <button type="button" class="button is-small" disabled={isBusy} onClick={verify}>
          Verify
        </button>
      )}
      {result !== null && <span> {result}</span>}
    </>
  )
}

function KeyProblem({ keyState: { problem, since } }: { readonly keyState: NonNullable<LaneResource['key']> }) {
  return (
    <span class="is-alarming">
      {since === null ? (
        ' cannot sign'
      ) : (
        <>
          {' '}
          cannot sign since <Clock at={since} />
        </>
      )}
      : {problem}
    </span>
  )
}

function describeCheck({ verified, problem }: KeyCheckResource): string {
  return verified ? 'Verified: it signed a challenge.' : `Failed: ${problem}`
}

function describeFailure(error: unknown): string {
  if (error instanceof ServiceAway) return error.message
  if (error instanceof ApiProblem) return error.problem.detail
  throw error
}
