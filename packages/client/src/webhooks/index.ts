/** For receivers of webhooks. */
export { DroverError } from '../transport/drover-error.ts'
export { type VerifyOptions, verifyWebhook, type WebhookHeaders, type WebhookMessage } from './verify-webhook.ts'
