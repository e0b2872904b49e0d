export type Undo = () => void;
export const applyCss=(_c:string):Undo=>()=>{};
