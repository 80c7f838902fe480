/** Sends a transaction by hand. */

import type { Overview } from '../live/overview.ts'
import type { Resource } from '../live/use-resource.ts'
import { Empty, Loaded } from '../parts/placeholders.tsx'
import { SendForm } from '../parts/transaction/send-form.tsx'
import { LOCAL_CHAIN_ID } from '../words/chain-names.ts'
import { useTitle } from './use-route.ts'

export function SendPage({ overview }: { readonly overview: Resource<Overview> }) {
  useTitle('Send')
  return (
    <div class="narrow">
      <div class="page-head">
        <h1>Send</h1>
      </div>
      <Loaded resource={overview}>
        {({ lanes }) => {
          const local = lanes.filter(({ chainId }) => chainId === LOCAL_CHAIN_ID)
          return local.length > 0 ? <SendForm lanes={local} /> : <Empty title="No signers on a local chain" />
        }}
      </Loaded>
    </div>
  )
}
