/** What a statement needs together in one database: one lane, nothing of any lane, or more than one lane. */

export interface StatementScope {
  /** lane: everything it touches belongs to the lanes it is given. shared: it touches no lane. crossing: the rest. */
  readonly type: 'lane' | 'shared' | 'crossing'
  /** Tables and sequences that belong to no lane. */
  readonly shared: readonly string[]
  /** Whether its arguments name the lanes. */
  readonly isKeyed: boolean
}

/** Rows that follow their transaction, and so its lane, although they do not name it. */
const OF_A_TRANSACTION = ['tx_attempt']
/** These name a signer, but are read and written for all signers together. */
const NOT_OF_A_LANE = ['webhook', 'timer', 'mailbox_entry']

const NAMES_LANES = [
  // An argument, or the columns of an argument.
  /\bsigner\s*=\s*\$\d/,
  /_to_recordset\([^)]*\)\s*(?:as\s+)?\w+\s*\([^)]*\bsigner bytea/,
  /\bunnest\([^)]*\)[\w\s]*\(chain_id, signer\b/,
]

export interface Schema {
  readonly laneTables: readonly string[]
  readonly otherTables: readonly string[]
}

export function readSchema(sql: string): Schema {
  const tables = [...sql.matchAll(/^create table (\w+) \((.*?)^\)/gms)]
  const sequences = [...sql.matchAll(/^create sequence (\w+)/gm)].map(([, name = '']) => name)
  const isOfLane = (name: string, columns: string) =>
    OF_A_TRANSACTION.includes(name) ||
    (/^ {2}chain_id /m.test(columns) && /^ {2}signer /m.test(columns) && !NOT_OF_A_LANE.includes(name))
  const names = (ofLane: boolean) =>
    tables.filter(([, name = '', columns = '']) => isOfLane(name, columns) === ofLane).map(([, name = '']) => name)
  return { laneTables: names(true), otherTables: [...names(false), ...sequences] }
}

export function scopeOf(text: string, { laneTables, otherTables }: Schema): StatementScope {
  const touches = (name: string) => new RegExp(`\\b(?:from|join|update|into|nextval\\(')\\s*${name}\\b`, 'i').test(text)
  const shared = otherTables.filter(touches)
  const isKeyed = NAMES_LANES.some((pattern) => pattern.test(text))
  if (!laneTables.some(touches)) return { type: 'shared', shared, isKeyed }
  return { type: isKeyed && shared.length === 0 ? 'lane' : 'crossing', shared, isKeyed }
}
