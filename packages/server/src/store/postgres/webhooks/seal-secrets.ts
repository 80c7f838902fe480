/** Encrypts secrets that are not under the current key yet: those stored before it existed, and those of older keys. */
import type { Database } from '../database.ts'
import type { SecretBox } from './secret-box.ts'

const READ = { name: 'read_webhook_secrets', text: 'select webhook_id, secret, previous_secret from webhook' } as const

/** Only if they have not changed meanwhile. */
const WRITE = {
  name: 'seal_webhook_secrets',
  text: `
update webhook set secret = $2, previous_secret = $3
 where webhook_id = $1 and secret = $4 and previous_secret is not distinct from $5`,
} as const

interface Row {
  readonly webhook_id: string
  readonly secret: string
  readonly previous_secret: string | null
}

/** How many cannot be decrypted with any key here. */
export async function sealSecrets(database: Database, box: SecretBox): Promise<{ readonly unreadable: number }> {
  let unreadable = 0
  for (const { webhook_id: id, secret, previous_secret: previous } of await database.query<Row>(READ, [])) {
    const stored = [secret, ...(previous === null ? [] : [previous])]
    const opened = stored.map((text) => box.open(text, id))
    if (opened.includes(null)) unreadable += 1
    else if (!stored.every(box.isCurrent)) {
      const [now, before] = opened.map((text) => box.seal(text ?? '', id))
      await database.query(WRITE, [id, now, before ?? null, secret, previous])
    }
  }
  return { unreadable }
}
