/** All operations of the API. */
import { buildOpenApi } from './openapi/build-open-api.ts'
import type { Route } from './route.ts'
import { checkAudit } from './routes/access/check-audit.ts'
import { createApiKey } from './routes/access/create-api-key.ts'
import { listApiKeys } from './routes/access/list-api-keys.ts'
import { listAudit } from './routes/access/list-audit.ts'
import { revokeApiKey } from './routes/access/revoke-api-key.ts'
import { showCaller } from './routes/access/show-caller.ts'
import { listBlocks } from './routes/events/list-blocks.ts'
import { listEvents } from './routes/events/list-events.ts'
import { streamBlocks } from './routes/events/stream-blocks.ts'
import { streamEvents } from './routes/events/stream-events.ts'
import { extendNonce, releaseNonce, useNonce } from './routes/reservations/act-on-reservation.ts'
import { listReservations } from './routes/reservations/list-reservations.ts'
import { reserveNonces } from './routes/reservations/reserve-nonces.ts'
import { showReservation } from './routes/reservations/show-reservation.ts'
import { fillReservations, releaseReservations } from './routes/reservations/take-back-nonces.ts'
import {
  clearKeyRules,
  clearSignerRules,
  setKeyRules,
  setSignerRules,
  showKeyRules,
  showSignerRules,
} from './routes/rules/rules-routes.ts'
import { fillGap } from './routes/signers/fill-gap.ts'
import { listSigners } from './routes/signers/list-signers.ts'
import { pauseSigner, resumeSigner } from './routes/signers/pause-signer.ts'
import { registerSigner } from './routes/signers/register-signer.ts'
import { removeSigner } from './routes/signers/remove-signer.ts'
import { resetNonce } from './routes/signers/reset-nonce.ts'
import { showReset } from './routes/signers/show-reset.ts'
import { showSigner } from './routes/signers/show-signer.ts'
import { updateSigner } from './routes/signers/update-signer.ts'
import { verifySigner } from './routes/signers/verify-signer.ts'
import { listChains } from './routes/system/list-chains.ts'
import { listNodes } from './routes/system/list-nodes.ts'
import { createShowDocs } from './routes/system/show-docs.ts'
import { showFees } from './routes/system/show-fees.ts'
import { showHealth } from './routes/system/show-health.ts'
import { showMetrics } from './routes/system/show-metrics.ts'
import { createShowOpenApi } from './routes/system/show-openapi.ts'
import { showReadiness } from './routes/system/show-readiness.ts'
import { changeTimerParams, listFires, showTimerQueue } from './routes/timers/timer-fires.ts'
import {
  cancelTimer,
  createTimer,
  listTimers,
  pauseTimer,
  resumeTimer,
  showTimer,
  updateTimer,
} from './routes/timers/timer-routes.ts'
import { approveTransaction, rejectTransaction } from './routes/transactions/approve-transaction.ts'
import { createTransaction } from './routes/transactions/create-transaction.ts'
import { createTransactionBatch } from './routes/transactions/create-transaction-batch.ts'
import { listAttempts } from './routes/transactions/list-attempts.ts'
import { listTransactions } from './routes/transactions/list-transactions.ts'
import {
  cancelTransaction,
  closeTransaction,
  requeueTransaction,
  resolveTransaction,
  resumeTransaction,
  retryTransaction,
  speedUpTransaction,
  suspendTransaction,
} from './routes/transactions/operate-transaction.ts'
import { showConfirmations } from './routes/transactions/show-confirmations.ts'
import { showExplanation } from './routes/transactions/show-explanation.ts'
import { showHistory } from './routes/transactions/show-history.ts'
import { showReceipt } from './routes/transactions/show-receipt.ts'
import { showTransaction } from './routes/transactions/show-transaction.ts'
import { listDeliveries, redeliver, testWebhook } from './routes/webhooks/webhook-deliveries.ts'
import {
  createWebhook,
  deleteWebhook,
  listWebhooks,
  showWebhook,
  updateWebhook,
} from './routes/webhooks/webhook-routes.ts'

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
  approveTransaction,
  rejectTransaction,
  listSigners,
  registerSigner,
  showSigner,
  updateSigner,
  pauseSigner,
  resumeSigner,
  verifySigner,
  removeSigner,
  resetNonce,
  showReset,
  fillGap,
  showSignerRules,
  setSignerRules,
  clearSignerRules,
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
  createTimer,
  listTimers,
  showTimerQueue,
  changeTimerParams,
  showTimer,
  updateTimer,
  cancelTimer,
  pauseTimer,
  resumeTimer,
  listFires,
  listChains,
  listBlocks,
  streamBlocks,
  showFees,
  listNodes,
  showCaller,
  listApiKeys,
  createApiKey,
  revokeApiKey,
  showKeyRules,
  setKeyRules,
  clearKeyRules,
  listAudit,
  checkAudit,
  showHealth,
  showReadiness,
  showMetrics,
  createShowOpenApi(describeRoutes),
  createShowDocs(describeRoutes),
]

let description: ReturnType<typeof buildOpenApi> | null = null

function describeRoutes(): ReturnType<typeof buildOpenApi> {
  description ??= buildOpenApi(ROUTES)
  return description
}
