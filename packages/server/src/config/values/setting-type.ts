/** How a setting is read from text or JSON and shown again: one small object for each kind of value. */
export type Parsed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: string }

export interface SettingType<T> {
  /** What the reference page calls it. */
  readonly label: string
  /** `problem` continues after the setting's name ("must be …") and never repeats the input, which may be a secret. */
  parse(input: unknown): Parsed<T>
  /** For `drover config` and the reference page: hides what must not be seen. */
  print(value: T): string
}

export function accept<T>(value: T): Parsed<T> {
  return { ok: true, value }
}

export function refuse(problem: string): { readonly ok: false; readonly problem: string } {
  return { ok: false, problem }
}

export function integer(min: number, max: number): SettingType<number> {
  return {
    label: `integer, ${min} to ${max}`,
    parse(input) {
      const value = typeof input === 'string' && /^\d{1,15}$/.test(input.trim()) ? Number(input) : input
      if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < min || value > max)
        return refuse(`must be a whole number from ${min} to ${max}`)
      return accept(value)
    },
    print: String,
  }
}

export function oneOf<const T extends string>(choices: readonly T[]): SettingType<T> {
  return {
    label: choices.map((choice) => `\`${choice}\``).join(', '),
    parse(input) {
      const choice = choices.find((candidate) => candidate === input)
      return choice === undefined ? refuse(`must be one of ${choices.join(', ')}`) : accept(choice)
    },
    print: String,
  }
}

export const boolean: SettingType<boolean> = {
  label: '`true`, `false`',
  parse(input) {
    if (input === true || input === 'true' || input === '1') return accept(true)
    if (input === false || input === 'false' || input === '0') return accept(false)
    return refuse('must be true or false')
  },
  print: String,
}

export const text: SettingType<string> = {
  label: 'text',
  parse: (input) => (typeof input === 'string' && input.trim() !== '' ? accept(input.trim()) : refuse('must be text')),
  print: String,
}

export function textList(of: string): SettingType<readonly string[]> {
  return {
    label: `comma-separated list of ${of}`,
    parse(input) {
      const items = splitList(input)
      return items === null ? refuse('must be a list of texts, separated by commas') : accept([...new Set(items)])
    },
    print: (items) => (items.length === 0 ? 'none' : items.join(', ')),
  }
}

/** One word stands beside the other values. */
export function orWord<T, const W extends string>(type: SettingType<T>, word: W): SettingType<T | W> {
  return {
    label: `\`${word}\`, or ${type.label}`,
    parse(input) {
      if (input === word) return accept(word)
      const parsed = type.parse(input)
      return parsed.ok ? parsed : refuse(`${parsed.problem}, or ${word}`)
    },
    print: (value) => (value === word ? word : type.print(value as T)),
  }
}

/** Not set is a value of its own; `meaning` says on the reference page what happens then. */
export function optional<T>(type: SettingType<T>, meaning: string): SettingType<T | null> {
  return {
    label: type.label,
    parse: (input) => (input === null ? accept(null) : type.parse(input)),
    print: (value) => (value === null ? meaning : type.print(value)),
  }
}

/** Comma-separated text, or a JSON list of texts. */
export function splitList(input: unknown): readonly string[] | null {
  const parts = typeof input === 'string' ? input.split(',') : input
  if (!Array.isArray(parts)) return null
  const items: string[] = []
  for (const part of parts) {
    if (typeof part !== 'string') return null
    if (part.trim() !== '') items.push(part.trim())
  }
  return items
}
