/** A request id for callers who gave none: unique, so that only our own repeats are taken for the same request. */
export function createRequestId(): string {
  // Browsers have randomUUID only on pages that came by HTTPS or from this machine.
  if (typeof crypto.randomUUID === 'function') return crypto.randomUUID()
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
