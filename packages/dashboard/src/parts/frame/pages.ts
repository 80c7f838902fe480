/** The pages of the console, in the order of the navigation. */
import { ALL_TRANSACTIONS, formHash, type Route } from '../../pages/route.ts'

export interface ListedPage {
  readonly name: string
  readonly href: string
  /** What is found there, for the search. */
  readonly about: string
  /** Routes that belong to it. */
  readonly holds: readonly Route['page'][]
}

export const PAGES: readonly ListedPage[] = [
  { name: 'Overview', href: formHash({ page: 'overview' }), about: 'Health, load and activity', holds: ['overview'] },
  {
    name: 'Transactions',
    href: formHash(ALL_TRANSACTIONS),
    about: 'Find, follow and act on transactions',
    holds: ['transactions', 'transaction', 'send'],
  },
  {
    name: 'Signers',
    href: formHash({ page: 'signers' }),
    about: 'Nonces, balances and policies',
    holds: ['signers', 'signer'],
  },
  { name: 'Timers', href: formHash({ page: 'timers' }), about: 'Calls at a block or on an event', holds: ['timers'] },
  {
    name: 'Webhooks',
    href: formHash({ page: 'webhooks' }),
    about: 'Endpoints and deliveries',
    holds: ['webhooks', 'webhook'],
  },
  { name: 'Access', href: formHash({ page: 'access' }), about: 'API keys and the audit log', holds: ['access'] },
  {
    name: 'Cluster',
    href: formHash({ page: 'cluster' }),
    about: 'Nodes, leases and RPC endpoints',
    holds: ['cluster'],
  },
]
