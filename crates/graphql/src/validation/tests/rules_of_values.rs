//! The rules of validation about values, directives and variables; see
//! [`super::rules`].

use super::rules::judged;

#[test]
fn values_are_of_the_type_of_their_place() {
    judged(
        r#"
        passes
            {filtered(pair:1)}
            {filtered(pair:-2147483648)}
            {filtered(pair:null)}
            {filtered(share:1)}
            {filtered(share:1.5e3)}
            {echo(text:"")}
            {echo(text:"""a""")}
            {project(fullPath:1){id}}
            {costly @include(if:false)}
            {filtered(sort:created_asc)}
            {filtered(numbers:[1,2])}
            {filtered(numbers:[])}
            {filtered(numbers:1)}
            {filtered(numbers:null)}
            {filtered(deep:[[1,null],null])}
            {filtered(filter:{must:1,inner:{must:2},many:3})}
            {filtered(json:{a:[1,{b:null}]})}
        argumentLiteralsIncompatible
            {filtered(pair:"1")}
            {filtered(pair:1.0)}
            {filtered(pair:true)}
            {filtered(pair:created_asc)}
            {filtered(pair:2147483648)}
            {filtered(pair:[1])}
            {filtered(pair:{a:1})}
            {filtered(share:"1")}
            {filtered(share:true)}
            {filtered(share:X)}
            {echo(text:1)}
            {echo(text:1.5)}
            {echo(text:true)}
            {echo(text:X)}
            {echo(text:["a"])}
            {project(fullPath:1.5){id}}
            {project(fullPath:true){id}}
            {project(fullPath:X){id}}
            {costly @include(if:1)}
            {costly @include(if:"true")}
            {costly @include(if:TRUE)}
            {filtered(sort:"created_asc")}
            {filtered(sort:1)}
            {filtered(sort:nope)}
            {filtered(sort:CREATED_ASC)}
            {filtered(numbers:[1,"2"])}
            {filtered(numbers:[1,null])}
            {filtered(numbers:"1")}
            {filtered(deep:[["1"]])}
            {filtered(filter:1)}
            {filtered(filter:[])}
            {filtered(filter:{must:"1"})}
            {filtered(filter:{must:null})}
            {filtered(filter:{must:1,inner:{must:1,many:["x"]}})}
        defaultValueInvalidType
            query Q($v:Int="1"){filtered(pair:$v)}
            query Q($v:Int!=null){filtered(pair:$v)}
            query Q($v:[Int!]=[1,null]){filtered(numbers:$v)}
            query Q($v:Filter=1){filtered(filter:$v)}
            query Q($v:Filter={must:"1"}){filtered(filter:$v)}
            query Q($v:Filter={must:1,inner:{must:null}}){filtered(filter:$v)}
            query Q($v:Filter={must:1,nope:1}){filtered(filter:$v)}
            query Q($v:Filter={many:1}){filtered(filter:$v)}
        passes
            query Q($v:Filter={must:1,inner:{must:2}}){filtered(filter:$v)}
            query Q($v:[Int!]=1){filtered(numbers:$v)}
        "#,
    );
}

#[test]
fn fields_of_input_objects_are_known_unique_and_complete() {
    judged(
        r#"
        argumentNotAccepted
            {filtered(filter:{must:1,nope:1})}
            {filtered(filter:{must:1,inner:{must:1,nope:1}})}
        inputFieldNotUnique
            {filtered(filter:{must:1,must:1})}
            {filtered(filter:{must:1,inner:{must:1,must:2}})}
            {filtered(json:{a:1,a:2})}
            {filtered(json:[{b:{a:1,a:2}}])}
        missingRequiredInputObjectAttribute
            {filtered(filter:{})}
            {filtered(filter:{many:1})}
            {filtered(filter:{must:1,inner:{}})}
        "#,
    );
}

#[test]
fn directives_are_known_and_stand_where_they_may_once() {
    judged(
        r#"
        passes
            {costly @skip(if:false) @include(if:true)}
            {...F @include(if:true)} fragment F on Query{costly}
            {... on Query @skip(if:false){costly}}
            {costly @skip(if:true) filtered @skip(if:true)}
        undefinedDirective
            {costly @nope}
            query Q @nope{costly}
            {...F @nope} fragment F on Query{costly}
            {...F} fragment F on Query @nope{costly}
            {... @nope{costly}}
            query Q($v:Int @nope){filtered(pair:$v)}
        directiveCannotBeApplied
            query Q @include(if:true){costly}
            {...F} fragment F on Query @skip(if:true){costly}
            query Q($v:Int @skip(if:true)){filtered(pair:$v)}
            {costly @deprecated}
            {costly @specifiedBy(url:"a")}
        directiveNotUniqueForLocation
            {costly @skip(if:false) @skip(if:false)}
            {... @include(if:true) @include(if:true){costly}}
        "#,
    );
}

#[test]
fn variables_are_unique_and_of_input_types() {
    judged(
        r#"
        passes
            query Q($a:Int,$b:Int){filtered(pair:$a) x:filtered(pair:$b)}
            query A($v:Int){filtered(pair:$v)} query B($v:Int){filtered(pair:$v)}
            query Q($v:[[Int]]){filtered(deep:$v)}
            query Q($v:Filter){filtered(filter:$v)}
        variableNotUnique
            query Q($v:Int,$v:Int){filtered(pair:$v)}
        variableRequiresValidType
            query Q($v:User){filtered(pair:$v)}
            query Q($v:[Project!]){filtered(pair:$v)}
            query Q($v:Thing){filtered(pair:$v)}
            query Q($v:Nope){filtered(pair:$v)}
        # A default is constant.
        parseError
            query Q($a:Int,$b:Int=$a){filtered(pair:$b)}
        "#,
    );
}

#[test]
fn variables_are_declared_where_used_and_used_where_declared() {
    judged(
        r#"
        passes
            query Q($v:Int){...F} fragment F on Query{filtered(pair:$v)}
            query Q($v:Int){...F} fragment F on Query{...G} fragment G on Query{filtered(pair:$v)}
            query Q($v:Boolean!){costly @skip(if:$v)}
            query Q($v:Boolean!){...F @skip(if:$v)} fragment F on Query{costly}
            query Q($v:Int){filtered(json:{a:[$v]})}
            query Q($v:Int!){filtered(filter:{must:$v})}
        variableNotDefined
            {filtered(pair:$v)}
            query Q($w:Int){filtered(pair:$v) x:filtered(pair:$w)}
            query Q{...F} fragment F on Query{filtered(pair:$v)}
            query A($v:Int){...F} query B{...F} fragment F on Query{filtered(pair:$v)}
            {costly @skip(if:$v)}
            {filtered(json:{a:[$v]})}
            {filtered(filter:{must:$v})}
        variableNotUsed
            query Q($v:Int){costly}
            query Q($v:Int,$w:Int){filtered(pair:$v)}
            query A($v:Int){filtered(pair:$v)} query B($v:Int){costly}
            query A($v:Int){costly} query B{...F} fragment F on Query{costly}
        "#,
    );
}

#[test]
fn variables_fit_the_places_they_are_used_in() {
    judged(
        r#"
        passes
            query Q($v:Int){filtered(pair:$v)}
            query Q($v:Int!){filtered(pair:$v)}
            query Q($v:String="a"){echo(text:$v)}
            query Q($v:Boolean=true){costly @skip(if:$v)}
            query Q($v:[Int!]){filtered(numbers:$v)}
            query Q($v:Int!){filtered(numbers:[$v])}
            query Q($v:Int!){filtered(numbers:[1,$v])}
            query Q($v:[[Int!]!]!){filtered(deep:$v)}
            query Q($v:[Int]){filtered(deep:[$v])}
            query Q($v:Int!){filtered(filter:{must:$v})}
            query Q($v:Int=1){filtered(filter:{must:$v})}
        variableMismatch
            query Q($v:String){filtered(pair:$v)}
            query Q($v:Int){filtered(share:$v)}
            query Q($v:String!){project(fullPath:$v){id}}
            query Q($v:String){echo(text:$v)}
            query Q($v:String=null){echo(text:$v)}
            query Q($v:Boolean){costly @skip(if:$v)}
            query Q($v:Int){filtered(numbers:$v)}
            query Q($v:Int){filtered(numbers:[$v])}
            query Q($v:[Int]){filtered(numbers:$v)}
            query Q($v:[Int]){filtered(pair:$v)}
            query Q($v:[Int]){filtered(deep:$v)}
            query Q($v:Int){filtered(filter:{must:$v})}
            query Q($v:Int){...F} fragment F on Query{echo(text:$v)}
        "#,
    );
}
