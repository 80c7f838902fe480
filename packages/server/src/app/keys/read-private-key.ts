/** A private key that a person gives, in hex. */
import { AppError } from '../../core/app-error.ts'

const KEY = /^(?:0x)?[0-9a-fA-F]{64}$/

/** Throws AppError if `text` is not a private key, or `use` finds that it is none; the error does not quote it. */
export async function readPrivateKey<T>(text: string, use: (privateKey: Uint8Array) => Promise<T>): Promise<T> {
  const given = text.trim()
  const problem = new AppError('invalid_request', 'That is not a private key: expected 64 hex digits.')
  if (!KEY.test(given)) throw problem
  return await use(Buffer.from(given.slice(-64), 'hex')).catch((error: unknown) => {
    throw error instanceof Error && error.message === 'not a private key' ? problem : error
  })
}
