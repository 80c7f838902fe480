/** One signer: its lane on every chain, what its policy means, and its transactions. */
import { Fragment } from 'preact'
import { useContext } from 'preact/hooks'
import type { LaneResource } from '../api/api-resources.ts'
import { shortenAddress } from '../format/shorten.ts'
import { Service } from '../live/service.ts'
import { useResource } from '../live/use-resource.ts'
import { BackLink } from '../parts/back-link.tsx'
import { Copyable } from '../parts/copyable.tsx'
import { LaneFacts } from '../parts/lane-facts.tsx'
import { Loaded } from '../parts/placeholders.tsx'
import { ReservationPanel } from '../parts/reservation-panel.tsx'
import { TransactionPanel } from '../parts/transaction-panel.tsx'
import { formHash } from './route.ts'
import { useTitle } from './use-route.ts'

export function SignerPage({ address, after }: { readonly address: string; readonly after: string | null }) {
  const { api } = useContext(Service)
  const lanes = useResource(`signer ${address}`, async () => (await api.getSigner(address)).lanes)
  useTitle(`Signer ${shortenAddress(address)}`)
  return (
    <>
      <BackLink />
      <Loaded resource={lanes} rows={6}>
        {(known) => (
          <>
            <div class="page-head">
              <h1>{known[0]?.label ?? 'Signer'}</h1>
              <Copyable text={known[0]?.address ?? address} shown={known[0]?.address ?? address} what="address" />
            </div>
            <Lanes lanes={known} />
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

function Lanes({ lanes }: { readonly lanes: readonly LaneResource[] }) {
  return (
    <>
      {lanes.map((lane) => (
        <Fragment key={lane.chainId}>
          <LaneFacts lane={lane} />
          <ReservationPanel lane={lane} />
        </Fragment>
      ))}
    </>
  )
}
