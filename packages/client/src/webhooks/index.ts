/** For receivers of webhooks. */
export { DroverError } from '../drover-error.ts'
export { type VerifyOptions, verifyWebhook, type WebhookHeaders, type WebhookMessage } from './verify-webhook.ts'
