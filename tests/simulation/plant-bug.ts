/** Plants one bug in a build of the simulator: one piece of one source is replaced, and it has to be there exactly once. */
import type { Plugin } from 'vite'
import type { PlantedBug } from '../../packages/simulator/src/plants/planted-bugs.ts'

export function plantBug({ name, file, find, replace }: PlantedBug): {
  readonly plugin: Plugin
  wasPlanted(): boolean
} {
  let planted = false
  const plugin: Plugin = {
    name: `plant-${name}`,
    enforce: 'pre',
    transform(code, id) {
      if (id.split('?')[0]?.endsWith(`/${file}`) !== true) return null
      const pieces = code.split(find)
      if (pieces.length !== 2)
        throw new Error(`${name}: ${file} has ${pieces.length - 1} places that look like this: ${find}`)
      planted = true
      return pieces.join(replace)
    },
  }
  return { plugin, wasPlanted: () => planted }
}
