(function(PART){"use strict";(()=>{var o=(e,n,r,t,d)=>()=>{};PART=o;})();return PART})()
