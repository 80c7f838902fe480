/** The schema of a database as text that is the same under every version of PostgreSQL. */
import type { Client } from 'pg'

const TABLES = `
select c.oid, c.relname as name, coalesce(array_to_string(c.reloptions, ', '), '') as options
  from pg_class c
 where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' order by c.relname`

const COLUMNS = `
select a.attname as name, format_type(a.atttypid, a.atttypmod) as type, a.attnotnull as is_required,
       a.attgenerated = 's' as is_generated, pg_get_expr(d.adbin, d.adrelid) as expression
  from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
 where a.attrelid = $1 and a.attnum > 0 and not a.attisdropped order by a.attnum`

/** Not NOT NULL, which only newer versions list here and which the columns say already. */
const CONSTRAINTS = `
select conname as name, pg_get_constraintdef(oid) as definition from pg_constraint
 where conrelid = $1 and contype <> 'n' order by conname`

const INDEXES = `
select pg_get_indexdef(i.indexrelid) as definition from pg_index i
 where i.indrelid = $1 and not exists (select from pg_constraint where conindid = i.indexrelid) order by 1`

const SEQUENCES = `select sequencename as name from pg_sequences where schemaname = 'public' order by 1`

interface ColumnRow {
  readonly name: string
  readonly type: string
  readonly is_required: boolean
  readonly is_generated: boolean
  readonly expression: string | null
}

export async function dumpSchema(client: Client): Promise<string> {
  const parts: string[] = []
  for (const { name } of (await client.query<{ name: string }>(SEQUENCES)).rows) parts.push(`create sequence ${name};`)
  const tables = await client.query<{ oid: string; name: string; options: string }>(TABLES)
  for (const { oid, name, options } of tables.rows) {
    const columns = (await client.query<ColumnRow>(COLUMNS, [oid])).rows.map(writeColumn)
    const constraints = await client.query<{ name: string; definition: string }>(CONSTRAINTS, [oid])
    const lines = [
      ...columns,
      ...constraints.rows.map((row) => `  constraint ${row.name} ${row.definition.replace(/\s+/g, ' ')}`),
    ]
    const indexes = await client.query<{ definition: string }>(INDEXES, [oid])
    parts.push(
      `create table ${name} (\n${lines.join(',\n')}\n)${options === '' ? '' : ` with (${options})`};`,
      ...indexes.rows.map((row) => `${row.definition};`),
    )
  }
  return `-- Made from a migrated database by schema.real.test.ts; do not edit.\n\n${parts.join('\n\n')}\n`
}

function writeColumn({ name, type, is_required, is_generated, expression }: ColumnRow): string {
  const value = is_generated ? ` generated always as (${expression}) stored` : ` default ${expression}`
  return `  ${name} ${type}${is_required ? ' not null' : ''}${expression === null ? '' : value}`
}
