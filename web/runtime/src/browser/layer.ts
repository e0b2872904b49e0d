import type { Take } from "./events";
export const watchLayer=(_t:Take):void=>{};
