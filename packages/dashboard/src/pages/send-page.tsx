/** Sends a transaction by hand. */
import type { Overview } from '../live/overview.ts'
import type { Resource } from '../live/use-resource.ts'
import { Allowed } from '../parts/allowed.tsx'
import { Loaded } from '../parts/placeholders.tsx'
import { SendForm } from '../parts/send/send-form.tsx'
import { NoSigners } from '../parts/signer/no-signers.tsx'
import { ALL_TRANSACTIONS, formHash } from './route.ts'
import { useTitle } from './use-route.ts'

export function SendPage({ overview }: { readonly overview: Resource<Overview> }) {
  useTitle('Send')
  return (
    <>
      <p class="back-link">
        <a href={formHash(ALL_TRANSACTIONS)}>← Transactions</a>
      </p>
      <div class="page-head">
        <h1>Send a transaction</h1>
      </div>
      <Loaded resource={overview}>
        {({ lanes }) =>
          lanes.length === 0 ? (
            <NoSigners />
          ) : (
            <Allowed scope="send" what="Sending">
              <SendForm lanes={lanes} />
            </Allowed>
          )
        }
      </Loaded>
    </>
  )
}
