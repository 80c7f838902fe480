/** How long what is finished is kept. */
import { setting } from './setting.ts'
import { duration } from './values/duration.ts'
import { boolean, orWord } from './values/setting-type.ts'

const DAY = 24 * 3_600_000
const KEPT = orWord(duration(DAY, 3_650 * DAY), 'none')

export const RETENTION_SETTINGS = {
  transactionRetention: setting<number | 'none'>({
    type: KEPT,
    fallback: 'none',
    description:
      'How long finished transactions are kept, with their signed bytes and history. Drover deletes older ones in small batches. `none` keeps them for ever. They are kept at least as long as deliveries to webhooks may need them.',
  }),
  requestIdRetention: setting({
    type: duration(DAY, 3_650 * DAY),
    fallback: 365 * DAY,
    description:
      'How long the request id of a deleted transaction is still recognised. A repeat is refused with `transaction_deleted` instead of being sent again.',
  }),
  reservationRetention: setting<number | 'none'>({
    type: KEPT,
    fallback: 'none',
    description:
      'How long finished nonce reservations are kept, with their request ids. `none` keeps them for ever. A repeat of a deleted request reserves another nonce.',
  }),
  eventRetention: setting<number | 'none'>({
    type: KEPT,
    fallback: 'none',
    description:
      'How long events of signers and chains are kept. `none` keeps them for ever. Events of a transaction are deleted with it. They are kept at least as long as deliveries to webhooks may need them.',
  }),
  auditRetention: setting<number | 'none'>({
    type: KEPT,
    fallback: 'none',
    description:
      'How long entries of the audit log are kept. `none` keeps them for ever. The hashes of the others can still be checked.',
  }),
  keepUntilArchived: setting({
    type: boolean,
    fallback: false,
    description:
      'Drover deletes no transaction, event or audit entry before `drover archive` has written it to a file. Set it on every node.',
  }),
}
