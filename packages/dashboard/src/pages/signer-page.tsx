/** One signer: its lane on every chain, what its policy means, and its transactions. */
import { useContext, useState } from 'preact/hooks'
import type { LaneOrder } from '../api/api-client.ts'
import type { LaneResource, ResetResource } from '../api/api-resources.ts'
import { shortenAddress } from '../format/shorten.ts'
import { Service } from '../live/service.ts'
import { useFreshBalance } from '../live/use-fresh-balance.ts'
import { useResource } from '../live/use-resource.ts'
import { BackLink } from '../parts/back-link.tsx'
import { Copyable } from '../parts/copyable.tsx'
import { Loaded } from '../parts/placeholders.tsx'
import { LaneActions } from '../parts/signer/lane-actions.tsx'
import { LaneFacts } from '../parts/signer/lane-facts.tsx'
import { LaneFunding } from '../parts/signer/lane-funding.tsx'
import { NonceStrip } from '../parts/signer/nonce-strip.tsx'
import { PolicyPanel } from '../parts/signer/policy-panel.tsx'
import { ReservationPanel } from '../parts/signer/reservation-panel.tsx'
import { RulesPanel } from '../parts/signer/rules-panel.tsx'
import { TransactionPanel } from '../parts/transaction/transaction-panel.tsx'
import { formHash } from './route.ts'
import { useTitle } from './use-route.ts'

export function SignerPage({ address, after }: { readonly address: string; readonly after: string | null }) {
  const { api } = useContext(Service)
  const signer = useResource(`signer ${address}`, async () => {
    const [shown, rules] = await Promise.all([api.getSigner(address), api.getRules(address)])
    return { ...shown, rules }
  })
  useTitle(`Signer ${shortenAddress(address)}`)
  return (
    <>
      <BackLink />
      <Loaded resource={signer} rows={6}>
        {({ lanes, resets, rules }) => (
          <>
            <div class="page-head">
              <h1>{lanes[0]?.label ?? 'Signer'}</h1>
              <Copyable text={lanes[0]?.address ?? address} shown={lanes[0]?.address ?? address} what="address" />
            </div>
            <Lanes lanes={lanes} resets={resets} />
            <RulesPanel address={address} shown={rules} chainIds={lanes.map(({ chainId }) => chainId)} />
            <TransactionPanel
              query={{ group: 'all', from: address, after }}
              linkTo={(cursor) => formHash({ page: 'signer', address, after: cursor })}
            />
          </>
        )}
      </Loaded>
    </>
  )
}

interface LanesProps {
  readonly lanes: readonly LaneResource[]
  /** Newest first. */
  readonly resets: readonly ResetResource[]
}

function Lanes({ lanes, resets }: LanesProps) {
  return (
    <>
      {lanes.map((lane) => (
        <Lane key={lane.chainId} lane={lane} last={resets.find(({ chainId }) => chainId === lane.chainId) ?? null} />
      ))}
    </>
  )
}

function Lane({ lane: told, last }: { readonly lane: LaneResource; readonly last: ResetResource | null }) {
  const lane = useFreshBalance(told)
  const [chosen, setChosen] = useState<LaneOrder | null>(null)
  return (
    <>
      <NonceStrip lane={lane} onGap={() => setChosen('fill-gap')} />
      <LaneActions lane={lane} last={last} chosen={chosen} onChoose={setChosen} />
      <ReservationPanel lane={lane} />
      <div class="columns is-half">
        <div class="column-main">
          <LaneFacts lane={lane} />
          <LaneFunding lane={lane} />
        </div>
        <PolicyPanel lane={lane} />
      </div>
    </>
  )
}
