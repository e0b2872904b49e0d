import type { Goal } from "../ruleset";
import type { Take } from "./events";
export const watch=(_g:Goal[],_t:Take):(()=>void)=>()=>{};
