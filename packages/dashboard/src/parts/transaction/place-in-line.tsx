/** How many of the same signer are queued before a transaction. */
import { useContext } from 'preact/hooks'
import type { TransactionResource } from '../../api/api-resources.ts'
import { formatCount } from '../../format/format-amount.ts'
import { Service } from '../../live/service.ts'
import { useResource } from '../../live/use-resource.ts'

const LOOKED_AT = 50

export function PlaceInLine({ tx: { id, from, chainId } }: { readonly tx: TransactionResource }) {
  const { api } = useContext(Service)
  const ahead = useResource(`place ${id}`, async () => {
    const query = { states: ['QUEUED'], from, after: null, limit: LOOKED_AT, order: 'asc' } as const
    const { items } = await api.listTransactions({ ...query, found: { chainId: String(chainId) } })
    return items.findIndex((other) => other.id === id)
  })
  if (ahead.type !== 'ready') return null
  return <p class="muted">{describePlace(ahead.value)}</p>
}

/** In the order of acceptance; a higher priority may still pass it. */
function describePlace(ahead: number): string {
  if (ahead === 0) return 'First in line, by time of acceptance.'
  if (ahead === -1) return `More than ${LOOKED_AT} were accepted before it and are still queued.`
  return `${formatCount(ahead)} accepted before it ${ahead === 1 ? 'is' : 'are'} still queued.`
}
