/** All operations of the API. */
import { buildOpenApi } from './build-open-api.ts'
import type { Route } from './route.ts'
import { createTransaction } from './routes/create-transaction.ts'
import { listAttempts } from './routes/list-attempts.ts'
import { listChains } from './routes/list-chains.ts'
import { listEvents } from './routes/list-events.ts'
import { listNodes } from './routes/list-nodes.ts'
import { listSigners } from './routes/list-signers.ts'
import { listTransactions } from './routes/list-transactions.ts'
import { showHealth } from './routes/show-health.ts'
import { showHistory } from './routes/show-history.ts'
import { createShowOpenApi } from './routes/show-openapi.ts'
import { showReadiness } from './routes/show-readiness.ts'
import { showSigner } from './routes/show-signer.ts'
import { showTransaction } from './routes/show-transaction.ts'

export const ROUTES: readonly Route[] = [
  createTransaction,
  listTransactions,
  showTransaction,
  showHistory,
  listAttempts,
  listSigners,
  showSigner,
  listEvents,
  listChains,
  listNodes,
  showHealth,
  showReadiness,
  createShowOpenApi(() => buildOpenApi(ROUTES)),
]
