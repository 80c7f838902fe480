/** Where a secret is read from. The secret itself is no setting, so it is in no file, flag or environment by accident. */
import type { SecretRef } from '../../ports/secret-ref.ts'
import { accept, type Parsed, refuse, type SettingType, splitList } from './setting-type.ts'

const FORMS = 'file:<path>, command:<shell command> or env:<variable>'

export const secretRef: SettingType<SecretRef> = {
  label: '`file:<path>`, `command:<shell command>` or `env:<variable>`',
  parse: (input) => (typeof input === 'string' ? parseRef(input.trim()) : refuse(`must be ${FORMS}`)),
  print: printRef,
}

/** A command may contain commas, so a list in one text has no command in it unless it is the only one. */
export const secretRefList: SettingType<readonly SecretRef[]> = {
  label: `comma-separated list of ${secretRef.label}`,
  parse(input) {
    const isCommand = typeof input === 'string' && input.trim().startsWith('command:')
    const items = isCommand ? [input] : splitList(input)
    if (items === null) return refuse(`must be a list of ${FORMS}`)
    const refs: SecretRef[] = []
    for (const item of items) {
      const parsed = secretRef.parse(item)
      if (!parsed.ok) return parsed
      refs.push(parsed.value)
    }
    return accept(refs)
  },
  print: (refs) => (refs.length === 0 ? 'none' : refs.map(printRef).join(', ')),
}

function parseRef(text: string): Parsed<SecretRef> {
  const [, type, rest = ''] = /^(file|command|env):(.+)$/s.exec(text) ?? []
  switch (type) {
    case 'file':
      return accept({ type: 'file', path: rest })
    case 'command':
      return accept({ type: 'command', command: rest })
    case 'env':
      return accept({ type: 'variable', name: rest })
    default:
      return refuse(`must say where the secret is, not what it is: ${FORMS}`)
  }
}

function printRef(ref: SecretRef): string {
  switch (ref.type) {
    case 'file':
      return `file:${ref.path}`
    case 'command':
      return `command:${ref.command.split(/\s/, 1)[0]} …`
    case 'variable':
      return `env:${ref.name}`
  }
}
