/** A key that no other request has. */

/** `crypto.randomUUID` is missing where the page came over plain HTTP from another machine; the random bytes are not. */
export function createIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return `page-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}
