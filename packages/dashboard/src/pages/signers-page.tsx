/** Every signer with its lanes. */
import type { Overview } from '../live/overview.ts'
import type { Resource } from '../live/use-resource.ts'
import { Loaded } from '../parts/placeholders.tsx'
import { SignerTable } from '../parts/signer/signer-table.tsx'
import { useTitle } from './use-route.ts'

export function SignersPage({ overview }: { readonly overview: Resource<Overview> }) {
  useTitle('Signers')
  return (
    <>
      <div class="page-head">
        <h1>Signers</h1>
      </div>
      <section class="panel" aria-label="Signers">
        <Loaded resource={overview}>{({ lanes }) => <SignerTable lanes={lanes} />}</Loaded>
      </section>
    </>
  )
}
