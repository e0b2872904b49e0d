import type { Change } from "../../ruleset";
import type { Undo } from "./sheet";
export const applyChanges=(_i:Change[],_k:boolean,_t:(w:string)=>void):{undo:Undo;missing():string[]}=>({undo(){},missing:()=>[]});
