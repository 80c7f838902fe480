/** All operations of the API. */
import { buildOpenApi } from './build-open-api.ts'
import type { Route } from './route.ts'
import { extendNonce, releaseNonce, useNonce } from './routes/act-on-reservation.ts'
import { checkAudit } from './routes/check-audit.ts'
import { createApiKey } from './routes/create-api-key.ts'
import { createTransaction } from './routes/create-transaction.ts'
import { createTransactionBatch } from './routes/create-transaction-batch.ts'
import { fillGap } from './routes/fill-gap.ts'
import { listApiKeys } from './routes/list-api-keys.ts'
import { listAttempts } from './routes/list-attempts.ts'
import { listAudit } from './routes/list-audit.ts'
import { listBlocks } from './routes/list-blocks.ts'
import { listChains } from './routes/list-chains.ts'
import { listEvents } from './routes/list-events.ts'
import { listNodes } from './routes/list-nodes.ts'
import { listReservations } from './routes/list-reservations.ts'
import { listSigners } from './routes/list-signers.ts'
import { listTransactions } from './routes/list-transactions.ts'
import {
  cancelTransaction,
  closeTransaction,
  requeueTransaction,
  resolveTransaction,
  resumeTransaction,
  retryTransaction,
  speedUpTransaction,
  suspendTransaction,
} from './routes/operate-transaction.ts'
import { pauseSigner, resumeSigner } from './routes/pause-signer.ts'
import { registerSigner } from './routes/register-signer.ts'
import { reserveNonces } from './routes/reserve-nonces.ts'
import { resetNonce } from './routes/reset-nonce.ts'
import { revokeApiKey } from './routes/revoke-api-key.ts'
import { showConfirmations } from './routes/show-confirmations.ts'
import { createShowDocs } from './routes/show-docs.ts'
import { showExplanation } from './routes/show-explanation.ts'
import { showFees } from './routes/show-fees.ts'
import { showHealth } from './routes/show-health.ts'
import { showHistory } from './routes/show-history.ts'
import { showMetrics } from './routes/show-metrics.ts'
import { createShowOpenApi } from './routes/show-openapi.ts'
import { showReadiness } from './routes/show-readiness.ts'
import { showReceipt } from './routes/show-receipt.ts'
import { showReservation } from './routes/show-reservation.ts'
import { showReset } from './routes/show-reset.ts'
import { showSigner } from './routes/show-signer.ts'
import { showTransaction } from './routes/show-transaction.ts'
import { streamBlocks } from './routes/stream-blocks.ts'
import { streamEvents } from './routes/stream-events.ts'
import { fillReservations, releaseReservations } from './routes/take-back-nonces.ts'
import { updateSigner } from './routes/update-signer.ts'
import { listDeliveries, redeliver, testWebhook } from './routes/webhook-deliveries.ts'
import { createWebhook, deleteWebhook, listWebhooks, showWebhook, updateWebhook } from './routes/webhooks.ts'

export const ROUTES: readonly Route[] = [
  createTransaction,
  createTransactionBatch,
  listTransactions,
  showTransaction,
  showHistory,
  listAttempts,
  showConfirmations,
  showReceipt,
  showExplanation,
  suspendTransaction,
  resumeTransaction,
  retryTransaction,
  speedUpTransaction,
  cancelTransaction,
  resolveTransaction,
  requeueTransaction,
  closeTransaction,
  listSigners,
  registerSigner,
  showSigner,
  updateSigner,
  pauseSigner,
  resumeSigner,
  resetNonce,
  showReset,
  fillGap,
  reserveNonces,
  listReservations,
  releaseReservations,
  fillReservations,
  showReservation,
  useNonce,
  extendNonce,
  releaseNonce,
  listEvents,
  streamEvents,
  createWebhook,
  listWebhooks,
  showWebhook,
  updateWebhook,
  deleteWebhook,
  listDeliveries,
  redeliver,
  testWebhook,
  listChains,
  listBlocks,
  streamBlocks,
  showFees,
  listNodes,
  listApiKeys,
  createApiKey,
  revokeApiKey,
  listAudit,
  checkAudit,
  showHealth,
  showReadiness,
  showMetrics,
  createShowOpenApi(() => buildOpenApi(ROUTES)),
  createShowDocs(() => buildOpenApi(ROUTES)),
]
