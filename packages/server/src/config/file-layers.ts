/** What a configuration file, or a program, says: settings at the top, and an entry for each chain under `chains`. */
import type { ConfigProblem } from './config-problems.ts'
import type { Layer } from './layer.ts'
import { findNearestName } from './nearest-name.ts'
import { CHAIN_SETTING_NAMES, SETTING_NAMES, settingOf } from './settings.ts'

type JsonObject = Readonly<Record<string, unknown>>

const FILE_SETTING_NAMES = SETTING_NAMES.filter((name) => settingOf(name).outsideFile !== true)

/** After the name of a setting, to say where it is. */
const IN_FILE = ' in the configuration file'
/** A program gave it: its name says enough. */
const BY_PROGRAM = ''

export function placeOf({ path }: { readonly path: string | null }): string {
  return path === null ? BY_PROGRAM : IN_FILE
}

export function fileLayers(
  content: unknown,
  where: string,
): { readonly top: Layer; readonly chains: readonly Layer[] } {
  const root = isObject(content) ? content : {}
  const entries = Array.isArray(root.chains) ? root.chains.filter(isObject) : []
  return {
    top: layerOf(root, { prefix: '', where, names: FILE_SETTING_NAMES }),
    chains: entries.map((entry, index) =>
      layerOf(entry, { prefix: `chains[${index}].`, where, names: CHAIN_SETTING_NAMES }),
    ),
  }
}

interface Place {
  readonly prefix: string
  readonly where: string
  readonly names: readonly string[]
}

function layerOf(values: JsonObject, { prefix, where, names }: Place): Layer {
  return {
    source: 'file',
    find: (name) => (names.includes(name) && Object.hasOwn(values, name) ? values[name] : undefined),
    place: (name) => `${prefix}${name}${where}`,
  }
}

export function unknownFileKeys(content: unknown, where: string): readonly ConfigProblem[] {
  if (!isObject(content)) return [{ place: `settings${where}`, message: 'must be an object' }]
  const { chains, ...top } = content
  const problems = unknownKeys(top, { prefix: '', where, names: FILE_SETTING_NAMES })
  if (chains === undefined) return problems
  if (!Array.isArray(chains) || chains.length === 0 || !chains.every(isObject))
    return [...problems, { place: `chains${where}`, message: 'must be a list of objects, one per chain' }]
  return [
    ...problems,
    ...chains.flatMap((entry, index) =>
      unknownKeys(entry, { prefix: `chains[${index}].`, where, names: CHAIN_SETTING_NAMES }),
    ),
  ]
}

function unknownKeys(values: JsonObject, { prefix, where, names }: Place): readonly ConfigProblem[] {
  return Object.keys(values)
    .filter((key) => !names.includes(key))
    .map((key) => {
      const nearest = findNearestName(key, names)
      const hint = nearest === null ? `the settings are ${names.join(', ')}` : `did you mean ${nearest}?`
      return { place: `${prefix}${key}${where}`, message: `is not a setting; ${hint}` }
    })
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
